package wire

import "encoding/binary"

// frameHeaders are the headers of a frame that say what it is.
type frameHeaders struct{ messageType, eventType, exceptionType, errorCode []byte }

// readHeaders reads headers: of each the length of its name, the name, the type of its value and the value.
func readHeaders(data []byte) (h frameHeaders, ok bool) {
	for len(data) > 0 {
		nameEnd := 1 + int(data[0])
		if nameEnd >= len(data) {
			return h, false
		}
		name, valueType, rest := data[1:nameEnd], data[nameEnd], data[nameEnd+1:]
		value, rest, ok := headerValue(valueType, rest)
		if !ok {
			return h, false
		}
		h.set(string(name), value)
		data = rest
	}
	return h, true
}

func (h *frameHeaders) set(name string, value []byte) {
	switch name {
	case ":message-type":
		h.messageType = value
	case ":event-type":
		h.eventType = value
	case ":exception-type":
		h.exceptionType = value
	case ":error-code":
		h.errorCode = value
	}
}

// Types of a header's value.
const (
	headerTrue = iota
	headerFalse
	headerByte
	headerShort
	headerInteger
	headerLong
	headerBytes
	headerString
	headerTimestamp
	headerUUID
)

// headerValue cuts the value of a type off data.
func headerValue(valueType byte, data []byte) (value, rest []byte, ok bool) {
	size := 0
	switch valueType {
	case headerTrue, headerFalse:
	case headerByte:
		size = 1
	case headerShort:
		size = 2
	case headerInteger:
		size = 4
	case headerLong, headerTimestamp:
		size = 8
	case headerUUID:
		size = 16
	case headerBytes, headerString:
		if len(data) < 2 {
			return nil, nil, false
		}
		size, data = int(binary.BigEndian.Uint16(data)), data[2:]
	default:
		return nil, nil, false
	}
	if size > len(data) {
		return nil, nil, false
	}
	return data[:size], data[size:], true
}
