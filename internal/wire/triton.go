package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// tritonMembers are the members of Triton's generate_stream, as its TensorRT-LLM backend fills them.
type tritonMembers struct {
	output raw // text_output
	model  string
}

func (m *tritonMembers) member(key string, c *cursor) bool {
	switch key {
	case "text_output":
		m.output = c.raw()
	case "model_name":
		m.model = c.string()
	default:
		return false
	}
	return true
}

// tritonOutput is the shape of Triton. Nothing in it says where it ends, so that it promises no marker; its text is a piece, or all there is
// so far when the request wants tokens accumulated.
func (env *envelope) tritonOutput(e *tpot.Event) bool {
	if !env.triton.output.isString() {
		return false
	}
	env.growing = growing{env.triton.output, false}
	env.model = cmp.Or(env.triton.model, env.model)
	env.describe(e, when(env.triton.output.filled(), tpot.KindText))
	e.Kind &^= tpot.KindMarked
	return true
}
