package traffic

// scenario is a use of the application.
type scenario struct {
	name      string
	operation string
	share     int // of a hundred requests
	models    []*model
	chunks    extent  // of an answer
	input     extent  // tokens of a prompt
	cached    float64 // share of the input that comes from the provider's cache
	reading   float64 // how much longer than usual the first token takes, for what there is to read
}

// extent is from the smallest to the largest number.
type extent struct{ low, high int }

var scenarios = []scenario{
	{"chat", "chat", 45, []*model{larchMini, cedar, osierFlash}, extent{30, 120}, extent{200, 2000}, 0.25, 1},
	{"completion", "text_completion", 25, []*model{birch, larchMini}, extent{20, 50}, extent{500, 1500}, 0, 1},
	{"reasoning", "chat", 15, []*model{larchDeep}, extent{60, 150}, extent{300, 3000}, 0, 1},
	{"documents", "chat", 15, []*model{cedar, osierFlash}, extent{60, 150}, extent{4000, 20000}, 0.75, 1.4},
}

// pick is a scenario, each as often as its share says.
func pick(d dice) *scenario {
	rest := d.IntN(100)
	for i := range scenarios {
		if rest -= scenarios[i].share; rest < 0 {
			return &scenarios[i]
		}
	}
	panic("traffic: the shares of the scenarios are less than a hundred")
}
