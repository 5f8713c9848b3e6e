package llmtest

import (
	"encoding/binary"
	"hash/crc32"
)

// header is a header of a frame, whose value is a string.
type header struct{ name, value string }

// frame is a message of the AWS event stream: the length of all, that of the headers, a checksum of both, the headers, the
// payload, and a checksum of all before it.
func frame(headers []header, payload []byte) []byte {
	const prelude, checksum = 12, 4
	head := encodeHeaders(headers)
	b := binary.BigEndian.AppendUint32(nil, uint32(prelude+len(head)+len(payload)+checksum))
	b = binary.BigEndian.AppendUint32(b, uint32(len(head)))
	b = appendChecksum(b)
	b = append(b, head...)
	b = append(b, payload...)
	return appendChecksum(b)
}

// appendChecksum appends to b that of all in b.
func appendChecksum(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// encodeHeaders writes of each header the length of its name, the name, the type of its value, the length of the value and
// the value.
func encodeHeaders(headers []header) []byte {
	const typeString = 7
	var b []byte
	for _, h := range headers {
		b = append(b, byte(len(h.name)))
		b = append(b, h.name...)
		b = append(b, typeString)
		b = binary.BigEndian.AppendUint16(b, uint16(len(h.value)))
		b = append(b, h.value...)
	}
	return b
}
