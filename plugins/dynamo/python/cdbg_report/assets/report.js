/* SPDX-License-Identifier: BSD-3-Clause */
/* Selecting a thing on a function's page marks what belongs to it; graphs are shown when they are opened, and zoomed.
   Without this script the page shows all but the drawings of large and later graphs. */
"use strict";
(function () {
	const source = document.getElementById("links");
	const links = source ? JSON.parse(source.textContent) : [];
	const status = document.getElementById("status");
	const elements = new Map();          // number -> elements that stand for it
	const hidden = new Map();            // number -> templates that hold more of them
	let selected = -1, at = -1, marked = [], related = new Set();

	function index(root) {
		for (const e of root.querySelectorAll("[data-i]")) {
			const i = Number(e.dataset.i);
			if (!elements.has(i))
				elements.set(i, []);
			elements.get(i).push(e);
			if (e.tagName === "g")
				e.setAttribute("role", "button");
			if (selected >= 0)
				mark([e], i === selected ? "sel" : related.has(i) ? "rel" : "");
		}
		for (const t of root.querySelectorAll("template:not([data-again])"))
			for (const i of new Set([...t.content.querySelectorAll("[data-i]")].map((e) => Number(e.dataset.i)))) {
				if (!hidden.has(i))
					hidden.set(i, []);
				hidden.get(i).push(t);
			}
		for (const box of root.querySelectorAll(".scroll")) {   // the keyboard scrolls what is focused
			const caption = box.querySelector("caption");
			if (box.scrollWidth > box.clientWidth && caption) {
				box.tabIndex = 0;
				box.setAttribute("role", "region");
				box.setAttribute("aria-label", caption.textContent);
			}
		}
		for (const group of root.querySelectorAll("[data-group]")) {
			const first = group.querySelector("[data-i]");
			if (first)
				first.tabIndex = 0;
		}
	}

	function mark(all, name) {
		if (!name)
			return;
		for (const e of all || []) {
			e.classList.add(name);
			if (name === "sel")
				e.setAttribute("aria-current", "true");
			marked.push(e);
		}
	}

	function clear() {
		for (const e of marked) {
			e.classList.remove("sel", "rel");
			e.removeAttribute("aria-current");
		}
		marked = [];
		related = new Set();
		selected = at = -1;
		if (status)
			status.textContent = "";
	}

	/* What a thing is called: its first words, without the numbers of lines. */
	function name(e) {
		const title = e.querySelector("title"), line = e.querySelector(".src");
		const words = title ? title.textContent : line ? line.textContent :
			e.tagName === "TR" ? [...e.cells].map((c) => c.textContent).join(" ") : e.textContent;
		const text = words.trim().replace(/\s+/g, " ");
		return text.length > 60 ? text.slice(0, 59) + "\u2026" : text;
	}

	function select(e) {
		const i = Number(e.dataset.i), same = i === selected;
		clear();
		if (same)
			return;
		selected = i;
		related = new Set(links[i] || []);
		related.forEach((k) => mark(elements.get(k), "rel"));
		mark(elements.get(i), "sel");
		const n = related.size;
		status.textContent = name(e) + " \u2014 " + (n ? n + (n === 1 ? " thing belongs" : " things belong") +
			" to it; press n for the next one" : "nothing else belongs to it");
	}

	/* What is hidden in a closed section is opened first. */
	function show(e) {
		for (let p = e.parentElement; p; p = p.parentElement)
			if (p.tagName === "DETAILS")
				p.open = true;
		e.scrollIntoView({ block: "center", inline: "center" });
		e.tabIndex = 0;
		e.focus({ preventScroll: true });
	}

	/* What is marked, and the sections not yet shown that hold more of it, in the order of the page. */
	function stops() {
		const all = marked.filter((e) => !e.classList.contains("sel"));
		for (const i of related)
			all.push(...(hidden.get(i) || []).filter((t) => t.isConnected));
		return [...new Set(all)].sort((a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
	}

	function next(step) {
		let all = stops();
		if (!all.length)
			return;
		at = at < 0 && step < 0 ? all.length - 1 : (at + step + all.length) % all.length;
		while (all[at].tagName === "TEMPLATE") {
			const before = all.length;
			fill(all[at].parentElement);
			all = stops();
			at = step < 0 ? at + all.length - before : at;
		}
		show(all[at]);
	}

	function move(e, step) {
		const group = e.closest("[data-group]");
		const all = group ? [...group.querySelectorAll("[data-i]")] : [];
		const to = all[all.indexOf(e) + step];
		if (to) {
			e.tabIndex = -1;
			to.tabIndex = 0;
			to.focus();
			to.scrollIntoView({ block: "nearest", inline: "nearest" });
		}
	}

	/* ---- graphs ---- */

	/* The element that has the size of a zoomed drawing.  The drawing in it is scaled as a picture: given another size, a
	   browser lays all of its nodes out again. */
	function sheetOf(svg) {
		if (svg.parentElement.className !== "sheet") {
			const sheet = document.createElement("div");
			sheet.className = "sheet";
			sheet.dataset.scale = 1;
			svg.replaceWith(sheet);
			sheet.append(svg);
		}
		return svg.parentElement;
	}

	function zoom(drawing, how) {
		const svg = drawing.querySelector("svg"), box = svg.viewBox.baseVal, sheet = sheetOf(svg);
		const now = Number(sheet.dataset.scale);
		const to = how === "in" ? now * 1.25 : how === "out" ? now / 1.25 : how === "one" ? 1 :
			Math.min(1, (drawing.clientWidth - 4) / box.width);
		const scale = Math.max(0.02, Math.min(4, to));
		const x = (drawing.scrollLeft + drawing.clientWidth / 2) / now, y = (drawing.scrollTop + drawing.clientHeight / 2) / now;
		sheet.dataset.scale = scale;
		sheet.style.width = box.width * scale + "px";
		sheet.style.height = box.height * scale + "px";
		svg.style.transform = "scale(" + scale + ")";
		drawing.scrollLeft = x * scale - drawing.clientWidth / 2;
		drawing.scrollTop = y * scale - drawing.clientHeight / 2;
	}

	/* Large and later parts of a page are in templates until they are opened. */
	function fill(details) {
		const template = details.querySelector(":scope > template");
		if (!template)
			return;
		template.replaceWith(template.content);
		index(details);
		const drawing = details.querySelector(".drawing");
		if (drawing && drawing.querySelector("svg").viewBox.baseVal.width < 4 * drawing.clientWidth)
			zoom(drawing, "fit");
	}

	document.addEventListener("toggle", (event) => {
		if (event.target.tagName === "DETAILS" && event.target.open)
			fill(event.target);
	}, true);

	document.addEventListener("click", (event) => {
		const button = event.target.closest("button[data-zoom]");
		if (button) {
			zoom(button.parentElement.nextElementSibling, button.dataset.zoom);
			return;
		}
		if (event.target.closest("a, summary, button"))
			return;
		const e = event.target.closest("[data-i]");
		if (e && !String(window.getSelection()))
			select(e);
	});

	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		const e = event.target.closest ? event.target.closest("[data-i]") : null;
		const drawing = event.target.closest ? event.target.closest(".drawing") : null;
		const key = event.key;
		if (key === "Escape")
			clear();
		else if (key === "n" || key === "N")
			next(key === "n" ? 1 : -1);
		else if (drawing && "+=-0".includes(key))
			zoom(drawing, key === "-" ? "out" : key === "0" ? "fit" : "in");
		else if (e && event.target === e && (key === "Enter" || key === " "))
			select(e);
		else if (e && event.target === e && (key === "ArrowDown" || key === "ArrowRight"))
			move(e, 1);
		else if (e && event.target === e && (key === "ArrowUp" || key === "ArrowLeft"))
			move(e, -1);
		else
			return;
		event.preventDefault();
	});

	index(document);
	for (const d of document.querySelectorAll("details[open] .drawing"))
		if (d.querySelector("svg").viewBox.baseVal.width < 4 * d.clientWidth)
			zoom(d, "fit");
	window.cdbgReport = { links: links, ready: true };
}());
