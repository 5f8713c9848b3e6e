'use strict';
// Once a second the page asks for its changing part and makes what is there like it, node by node, so that scroll positions, the
// focus, selected text and open details stay.
(() => {
	const every = 1000, patience = 10000;
	const live = document.getElementById('live'), facts = document.getElementById('facts');
	let timer, asking = false, again = false, answered = new Date(), inUse;

	function address() {
		const url = new URL(location.href);
		const open = [...facts.querySelectorAll('details[open]')].map(d => d.dataset.k);
		url.searchParams.set('part', open.join(' '));
		url.hash = '';
		return url;
	}

	async function update() {
		clearTimeout(timer);
		if (document.hidden) return;
		if (asking) {
			again = true;
			return;
		}
		asking = true;
		again = false;
		const began = performance.now();
		try {
			const answer = await fetch(address(), {cache: 'no-store', signal: AbortSignal.timeout(patience)});
			const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
			inUse = whatIsInUse();
			liken(facts, page.getElementById('facts'));
			answered = new Date();
			say('live');
		} catch {
			say('no answer since ' + answered.toLocaleTimeString());
		}
		asking = false;
		const took = performance.now() - began;
		timer = setTimeout(update, again ? 0 : Math.max(every - took, took));
	}

	function say(text) {
		if (live.textContent !== text) live.textContent = text;
		document.body.classList.toggle('gone', text !== 'live');
	}

	// liken makes a node like another of the same name.
	function liken(node, wanted) {
		if (node.nodeType === Node.TEXT_NODE) {
			if (node.data !== wanted.data && !selected(node)) node.data = wanted.data;
			return;
		}
		likenAttributes(node, wanted);
		likenChildren(node, wanted);
	}

	function likenAttributes(node, wanted) {
		for (const {name, value} of wanted.attributes) {
			if (name !== 'open' && node.getAttribute(name) !== value) node.setAttribute(name, value);
		}
		for (const {name} of [...node.attributes]) {
			if (name !== 'open' && !wanted.hasAttribute(name)) node.removeAttribute(name);
		}
	}

	// likenChildren makes the children of a node like another's. Those that have a key stay with it and are moved if need be.
	function likenChildren(node, wanted) {
		const known = new Map();
		for (const child of node.children) if (child.dataset.k) known.set(child.dataset.k, child);
		for (const child of wanted.children) known.delete(child.dataset.k);
		for (const gone of known.values()) gone.remove();
		known.clear();
		for (const child of node.children) if (child.dataset.k) known.set(child.dataset.k, child);

		let at = node.firstChild;
		for (const next of [...wanted.childNodes]) {
			const same = next.dataset?.k ? known.get(next.dataset.k) : at && at.nodeName === next.nodeName && !at.dataset?.k && at;
			if (!same) {
				node.insertBefore(next, at);
				continue;
			}
			if (same !== at) move(node, same, at);
			liken(same, next);
			at = same.nextSibling;
		}
		if (node.nodeName === 'DETAILS') return; // those that are closed come without their content
		while (at) {
			const after = at.nextSibling;
			at.remove();
			at = after;
		}
	}

	// move brings a child before another. What somebody uses is not touched; what is before it goes out of its way.
	function move(node, child, at) {
		if (!used(child)) {
			node.insertBefore(child, at);
			return;
		}
		while (at !== child) {
			const after = at.nextSibling;
			node.append(at);
			at = after;
		}
	}

	// whatIsInUse is what has the focus or selected text. It is found out once for each update, since asking for a selection
	// makes the browser lay out the page.
	function whatIsInUse() {
		const selection = getSelection();
		return {
			range: selection.isCollapsed ? null : selection.getRangeAt(0),
			nodes: [document.activeElement, selection.anchorNode, selection.focusNode].filter(n => n && n !== document.body),
		};
	}

	function used(node) {
		return inUse.nodes.some(n => node.contains(n));
	}

	function selected(text) {
		return inUse.range?.intersectsNode(text);
	}

	facts.addEventListener('toggle', update, true);
	facts.addEventListener('click', event => {
		const linked = document.getElementById(event.target.closest('a')?.hash.slice(1));
		if (linked) linked.open = true;
	});
	document.addEventListener('visibilitychange', update);
	timer = setTimeout(update, every);
	say('live');
})();
