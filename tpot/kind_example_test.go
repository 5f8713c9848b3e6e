package tpot_test

import (
	"fmt"

	"github.com/tokentiming/tokentiming/tpot"
)

// A finish event that carries the last text is both.
func ExampleKind() {
	kind := tpot.KindText | tpot.KindFinish
	fmt.Println(kind, kind&tpot.KindGenerated != 0)
	fmt.Println(tpot.KindRole, tpot.KindRole&tpot.KindGenerated != 0)
	// Output:
	// text|finish true
	// role false
}
