"""The process that answers cases: claims, findings and corrections of settled rounds."""
