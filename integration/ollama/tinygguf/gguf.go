package main

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// file is a GGUF file of version 3: a header, the metadata, what there is to know of each tensor, and the tensors' data.
type file struct {
	keys, infos, data bytes.Buffer
	keyCount          uint64
	tensorCount       uint64
}

// Types of values in the metadata.
const (
	typeUint32  uint32 = 4
	typeInt32   uint32 = 5
	typeFloat32 uint32 = 6
	typeBool    uint32 = 7
	typeString  uint32 = 8
	typeArray   uint32 = 9
)

const (
	version        uint32 = 3
	alignment             = 32 // of the tensors' section and of each tensor
	elementFloat32 uint32 = 0  // type of a tensor's elements
)

func (f *file) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	put(&b, version)
	put(&b, f.tensorCount)
	put(&b, f.keyCount)
	b.Write(f.keys.Bytes())
	b.Write(f.infos.Bytes())
	pad(&b)
	b.Write(f.data.Bytes())
	return b.Bytes()
}

func (f *file) uint32(key string, v uint32)   { put(f.key(key, typeUint32), v) }
func (f *file) float32(key string, v float32) { put(f.key(key, typeFloat32), v) }
func (f *file) bool(key string, v bool)       { put(f.key(key, typeBool), v) }
func (f *file) string(key, v string)          { putString(f.key(key, typeString), v) }

func (f *file) int32s(key string, v []int32)     { put(f.array(key, typeInt32, len(v)), v) }
func (f *file) float32s(key string, v []float32) { put(f.array(key, typeFloat32, len(v)), v) }

func (f *file) strings(key string, v []string) {
	b := f.array(key, typeString, len(v))
	for _, s := range v {
		putString(b, s)
	}
}

func (f *file) array(key string, element uint32, n int) *bytes.Buffer {
	b := f.key(key, typeArray)
	put(b, element)
	put(b, uint64(n))
	return b
}

func (f *file) key(name string, valueType uint32) *bytes.Buffer {
	f.keyCount++
	putString(&f.keys, name)
	put(&f.keys, valueType)
	return &f.keys
}

// tensor adds one, row by row; the format has the length of a row first.
func (f *file) tensor(name string, rows [][]float32) {
	f.tensorCount++
	dims := []uint64{uint64(len(rows[0])), uint64(len(rows))}
	if len(rows) == 1 {
		dims = dims[:1]
	}
	putString(&f.infos, name)
	put(&f.infos, uint32(len(dims)))
	put(&f.infos, dims)
	put(&f.infos, elementFloat32)
	put(&f.infos, uint64(f.data.Len()))
	put(&f.data, slices.Concat(rows...))
	pad(&f.data)
}

// put writes numbers, which a buffer always takes.
func put(b *bytes.Buffer, v any) { _ = binary.Write(b, binary.LittleEndian, v) }

func putString(b *bytes.Buffer, s string) {
	put(b, uint64(len(s)))
	b.WriteString(s)
}

func pad(b *bytes.Buffer) {
	for b.Len()%alignment != 0 {
		b.WriteByte(0)
	}
}
