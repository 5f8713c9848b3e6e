package wire

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"github.com/tokentiming/tokentiming/tpot"
)

// frames is the framing of the AWS event stream,
// https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html:
// the length of the frame, the length of its headers, a checksum of both, the headers, the payload, and a checksum of all.
type frames struct {
	parser *Parser
	frame  partial
	size   int   // of the frame, once its prelude has come
	skip   int64 // bytes to come of a frame that is too large
	broken bool
	text   []byte            // memory for what a payload holds in base64
	head   [preludeSize]byte // and for a prelude, which crc32 would have on the heap
}

const (
	preludeSize  = 12
	checksumSize = 4
)

func (f *frames) feed(data []byte) {
	for len(data) > 0 && !f.broken {
		if f.skip > 0 {
			n := min(f.skip, int64(len(data)))
			f.skip, data = f.skip-n, data[n:]
			continue
		}
		data = f.part(data)
	}
}

// part takes the bytes of data that belong to the frame, as far as is known, and returns the rest.
func (f *frames) part(data []byte) (rest []byte) {
	want := max(f.size, preludeSize) - len(f.frame.held)
	if len(data) < want {
		f.frame.add(data)
		return nil
	}
	if f.size == 0 {
		return f.prelude(data, want)
	}
	frame, _ := f.frame.with(data[:want])
	f.size = 0
	f.take(frame)
	return data[want:]
}

// prelude reads the beginning of a frame, whose last bytes are the first of data. They stay a part of the frame.
func (f *frames) prelude(data []byte, missing int) (rest []byte) {
	prelude := f.head[:]
	copy(prelude[copy(prelude, f.frame.held):], data[:missing])
	size := int64(binary.BigEndian.Uint32(prelude))
	headers := int64(binary.BigEndian.Uint32(prelude[4:]))
	if crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]) || headers > size-preludeSize-checksumSize {
		f.spoil()
		return nil
	}
	if size > MaxEvent {
		f.skip = size - int64(len(f.frame.held))
		f.frame.reset()
		f.parser.tooLarge()
		return data
	}
	f.size = int(size)
	return data
}

// spoil gives up the rest of the body, in which no frame can be found: its reader fails here too.
func (f *frames) spoil() {
	f.broken = true
	f.parser.send(tpot.Event{Kind: tpot.KindError | tpot.KindMarked, ErrorType: "checksum"})
}

func (f *frames) take(frame []byte) {
	body, checksum := frame[:len(frame)-checksumSize], frame[len(frame)-checksumSize:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(checksum) {
		f.spoil()
		return
	}
	headers := preludeSize + binary.BigEndian.Uint32(frame[4:])
	h, ok := readHeaders(body[preludeSize:headers])
	if !ok {
		f.spoil()
		return
	}
	f.message(h, body[headers:])
}

// message emits the event of a frame.
func (f *frames) message(h frameHeaders, payload []byte) {
	switch string(h.messageType) {
	case "exception":
		f.fail(h.exceptionType)
	case "error":
		f.fail(h.errorCode)
	default:
		f.event(h, payload)
	}
}

func (f *frames) fail(name []byte) {
	if len(name) == 0 {
		name = []byte("error")
	}
	f.parser.send(tpot.Event{Kind: tpot.KindError | tpot.KindMarked, ErrorType: view(name)})
}

// event emits an event of ConverseStream, or one of a model's own inside a chunk of InvokeModelWithResponseStream.
func (f *frames) event(h frameHeaders, payload []byte) {
	p := f.parser
	if string(h.eventType) == "chunk" {
		text, ok := f.decode(payload)
		if !ok {
			p.unknown()
			return
		}
		p.json(text, false)
		return
	}
	e, server, ok := converseEvent(view(h.eventType), view(payload))
	if !ok {
		p.unknown()
		return
	}
	p.name("bedrock")
	if server != (tpot.ServerTimings{}) {
		p.Server = server
	}
	p.send(e)
}

// decode returns what a chunk holds.
func (f *frames) decode(payload []byte) (text []byte, ok bool) {
	c := newCursor(view(payload))
	literal := c.raw().member("bytes")
	if !c.complete() || !literal.isString() {
		return nil, false
	}
	text, err := base64.StdEncoding.AppendDecode(f.text[:0], bytesOf(literal.string()))
	f.text = text[:0]
	if cap(f.text) > maxIdle {
		f.text = nil
	}
	return text, err == nil
}

func (f *frames) finish() bool { return f.broken || f.frame.empty() && f.skip == 0 }
