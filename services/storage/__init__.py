"""Where archives lie, a folder or a bucket, and the index by which things are found in them."""
