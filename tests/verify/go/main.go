// Reads an archive with the tlog and note packages of the Go checksum database's own library, and
// prints its root and proofs, each of which that library has checked.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8 // of a tile: C2SP tlog-tiles

type report struct {
	Size        int64    `json:"size"`
	Root        string   `json:"root"`
	Leaf        string   `json:"leaf"`
	Inclusion   []string `json:"inclusion"`
	Old         int64    `json:"old"`
	OldRoot     string   `json:"old_root"`
	Consistency []string `json:"consistency"`
	Index       int64    `json:"index"`
}

// Arguments: ARCHIVE KEY OLD NEW INDEX, sizes of two checkpoints and the number of an entry; or
// proof KEY PROOF ENTRY, a C2SP tlog-proof and the entry that it is of.
func main() {
	log.SetFlags(0)
	if os.Args[1] == "proof" {
		proof(os.Args[2], os.Args[3], os.Args[4])
		return
	}
	home, vkey := os.Args[1], os.Args[2]
	index, err := strconv.ParseInt(os.Args[5], 10, 64)
	check(err)
	old := checkpoint(filepath.Join(home, "checkpoints", os.Args[3]), vkey)
	tree := checkpoint(filepath.Join(home, "checkpoints", os.Args[4]), vkey)
	there := tiles{home, checkpoint(filepath.Join(home, "checkpoint"), vkey).N}
	hashes := tlog.TileHashReader(tree, there)

	root, err := tlog.TreeHash(tree.N, hashes)
	check(err)
	if root != tree.Hash {
		log.Fatal("the tiles have not the root of the checkpoint")
	}
	leaf := tlog.RecordHash(there.entry(index))
	inclusion, err := tlog.ProveRecord(tree.N, index, hashes)
	check(err)
	check(tlog.CheckRecord(inclusion, tree.N, root, index, leaf))
	consistency, err := tlog.ProveTree(tree.N, old.N, hashes)
	check(err)
	check(tlog.CheckTree(consistency, tree.N, root, old.N, old.Hash))

	check(json.NewEncoder(os.Stdout).Encode(report{
		tree.N, hex(root), hex(leaf), hexes(inclusion), old.N, hex(old.Hash), hexes(consistency), index,
	}))
}

// proof checks that an entry is where its proof says, in the tree of the checkpoint in the proof.
func proof(vkey, path, entry string) {
	data, err := os.ReadFile(path)
	check(err)
	above, signed, found := strings.Cut(string(data), "\n\n")
	lines := strings.Split(above, "\n")
	if !found || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		log.Fatal("no tlog-proof")
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	check(err)
	var hashes tlog.RecordProof
	for _, line := range lines[2:] {
		hash, err := tlog.ParseHash(line)
		check(err)
		hashes = append(hashes, hash)
	}
	tree := opened([]byte(signed), vkey)
	held, err := os.ReadFile(entry)
	check(err)
	check(tlog.CheckRecord(hashes, tree.N, tree.Hash, index, tlog.RecordHash(held)))
	check(json.NewEncoder(os.Stdout).Encode(report{Size: tree.N, Root: hex(tree.Hash), Index: index}))
}

func checkpoint(path, vkey string) tlog.Tree {
	data, err := os.ReadFile(path)
	check(err)
	return opened(data, vkey)
}

func opened(data []byte, vkey string) tlog.Tree {
	verifier, err := note.NewVerifier(vkey)
	check(err)
	opened, err := note.Open(data, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	hash, err := base64.StdEncoding.DecodeString(lines[2])
	check(err)
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], hash)
	return tree
}

// tiles is where the library reads from. Its own paths name the height as well. Of a tile that is
// not whole there is the one of the newest tree: those of before begin as it does.
type tiles struct {
	home string
	size int64 // of the newest tree
}

func (there tiles) Height() int { return height }

func (there tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		width := tile.W * tlog.HashSize
		tile.W = there.width(tile.L, tile.N)
		path := "tile/" + strings.TrimPrefix(tile.Path(), "tile/8/")
		data, err := os.ReadFile(filepath.Join(there.home, path))
		if err != nil {
			return nil, err
		}
		found = append(found, data[:width])
	}
	return found, nil
}

func (there tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// width is that of a tile in the newest tree.
func (there tiles) width(level int, index int64) int {
	return int(min(1<<height, there.size>>(height*level)-index<<height))
}

// entry is one out of its bundle: each has its length before it, two bytes, the high one first.
func (there tiles) entry(index int64) []byte {
	tile := tlog.Tile{H: height, L: -1, N: index >> height, W: there.width(0, index>>height)}
	path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
	data, err := os.ReadFile(filepath.Join(there.home, path))
	check(err)
	for range index - tile.N<<height {
		data = data[2+binary.BigEndian.Uint16(data):]
	}
	return data[2 : 2+binary.BigEndian.Uint16(data)]
}

func hex(hash tlog.Hash) string { return fmt.Sprintf("%x", hash[:]) }

func hexes(hashes []tlog.Hash) []string {
	texts := []string{}
	for _, hash := range hashes {
		texts = append(texts, hex(hash))
	}
	return texts
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
