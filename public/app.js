// The dashboard: reads the API once a second while the page is seen, and shows what it says.
// Whatever the server sends becomes text (textContent), never markup.

const $ = (id) => document.getElementById(id);
const PERIOD = 1000; // milliseconds from one reading to the next
const PATIENCE = 4000; // milliseconds until an answer counts as missing
const SPAN = 120; // seconds that the lines show
const GAP = 3.5; // seconds without a reading that break a line
const EVENTS = 10, LOCKS = 10, THREADS = 300; // rows at most

// MARK: numbers as text

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const digits = (v) => (v >= 99.95 ? v.toFixed(0) : v >= 9.995 ? v.toFixed(1) : v.toFixed(2));
const isNumber = (v) => typeof v === "number" && Number.isFinite(v);

function count(v) { return v < 1e6 ? whole.format(v) : short.format(v); }

function duration(s) {
  if (s < 60 && Number.isInteger(s)) return `${s} s`;
  if (s < 9.995e-7) return `${(s * 1e9).toFixed(0)} ns`;
  if (s < 9.995e-4) return `${digits(s * 1e6)} µs`;
  if (s < 0.9995) return `${digits(s * 1e3)} ms`;
  if (s < 60) return `${digits(s)} s`;
  const minutes = Math.floor(s / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  if (days) return `${days} d ${hours % 24} h`;
  return hours ? `${hours} h ${minutes % 60} min` : `${minutes} min ${Math.floor(s % 60)} s`;
}

function bytes(v) {
  const step = v > 0 ? Math.min(4, Math.floor(Math.log2(v) / 10)) : 0;
  return step ? `${digits(v / 1024 ** step)} ${["", "KiB", "MiB", "GiB", "TiB"][step]}` : `${v} B`;
}

function rate(v) { return v === 0 || v >= 99.95 ? count(v) : v.toFixed(1); }

/** Words of a name in camel case: spawnFailed, spawn failed. */
function words(name) { return String(name ?? "").replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`); }

function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? "–" : date.toLocaleString();
}

const forms = { n: count, d: duration, b: bytes, r: rate, u: (v) => duration(Math.floor(v)) };
const shown = (v, form = "n") => (form === "t" ? moment(v) : isNumber(v) ? forms[form](v) : "–");

// MARK: into the page

function put(node, text) {
  // Untouched where nothing changed: a selection in it lives on.
  if (node.textContent !== text) node.textContent = text;
}

function list(v) { return Array.isArray(v) ? v.filter((e) => e && typeof e === "object") : []; }

/** Every element that names its own figure with data-f. */
function putFigures(documents) {
  for (const node of document.querySelectorAll("[data-f]")) {
    const value = node.dataset.f.split(".").reduce((v, key) => v?.[key], documents);
    put(node, shown(value, node.dataset.as));
    if ("bad" in node.dataset) node.classList.toggle("bad", isNumber(value) && value > 0);
  }
}

/** A row for each array of cells, which are texts or {text, state}; `none` is said where there is no row. */
function putRows(id, rows, none) {
  const body = $(`${id}-rows`), table = body.closest(".scroll"), word = $(`${id}-none`);
  const columns = [...table.querySelectorAll("thead th")];
  while (body.rows.length > rows.length) body.lastElementChild.remove();
  rows.forEach((cells, index) => {
    let row = body.rows[index];
    if (!row) {
      row = body.insertRow();
      // The roles are those that the elements have, said again: a narrow page lays the rows out as no table (style.css).
      row.setAttribute("role", "row");
      columns.forEach((head, column) => {
        const cell = document.createElement(column === 0 ? "th" : "td");
        cell.setAttribute("role", column === 0 ? "rowheader" : "cell");
        cell.className = head.className;
        cell.dataset.label = head.textContent;
        row.append(cell);
      });
    }
    cells.forEach((cell, column) => {
      const node = row.cells[column];
      put(node, typeof cell === "string" ? cell : cell.text);
      if (cell.state) node.dataset.state = cell.state;
    });
  });
  table.hidden = rows.length === 0;
  word.hidden = rows.length !== 0;
  put(word, none);
}

/** Parts [name, value] of a whole, as a bar and, with `key`, as words. */
function putBar(id, parts, whole) {
  const bar = $(`${id}-bar`), key = $(`${id}-key`);
  const of = Math.max(whole, parts.reduce((sum, [, value]) => sum + value, 0), 1e-9);
  parts.forEach(([name, value], index) => {
    const part = bar.children[index] ?? bar.appendChild(document.createElement("i"));
    part.className = `c-${name}`;
    part.hidden = value <= 0;
    // Even a small part is seen.
    part.style.width = `max(3px, ${(100 * value) / of}%)`;
    if (!key) return;
    let item = key.children[index];
    if (!item) {
      item = document.createElement("li");
      item.append(document.createElement("i"), document.createElement("b"), document.createElement("span"));
      key.append(item);
    }
    item.children[0].className = `c-${name}`;
    put(item.children[1], count(value));
    put(item.children[2], ` ${name}`);
  });
}

// MARK: lines over time

const lines = { rate: [], threads: [] };

function addPoint(points, now, value) {
  if (isNumber(value)) points.push({ at: now, value });
  while (points.length && now - points[0].at > SPAN + 2) points.shift();
}

function putLine(id, now, form, atLeast) {
  const points = lines[id], svg = $(`${id}-line`);
  const highest = points.reduce((most, point) => Math.max(most, point.value), 0);
  const scale = Math.max(highest, atLeast) * 1.05;
  const x = (point) => Math.max(0, SPAN - (now - point.at)).toFixed(2);
  const y = (point) => (100 - (100 * point.value) / scale).toFixed(2);
  let stroke = "", area = "";
  points.forEach((point, index) => {
    const before = points[index - 1], after = points[index + 1];
    const begins = !before || point.at - before.at > GAP;
    stroke += `${begins ? "M" : "L"}${x(point)} ${y(point)}`;
    area += `${begins ? `M${x(point)} 100L` : "L"}${x(point)} ${y(point)}`;
    if (!after || after.at - point.at > GAP) area += `L${x(point)} 100Z`;
  });
  if (!svg.firstChild) {
    svg.setAttribute("viewBox", `0 0 ${SPAN} 100`);
    svg.setAttribute("preserveAspectRatio", "none");
    for (const name of ["area", ""]) {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", name);
      svg.append(path);
    }
  }
  svg.firstChild.setAttribute("d", area);
  svg.lastChild.setAttribute("d", stroke);
  put($(`${id}-cap`), `the last two minutes; highest ${shown(highest, form)}`);
}

// MARK: what each document shows

let last = null; // the reading before: what changes per second is the difference to it
let newest = null; // the newest reading of all: a server that starts anew is known by it
const documents = {};

function showStats(stats, now) {
  const elapsed = last ? stats.uptime - last.uptime : NaN;
  const perSecond = (value, before) => (elapsed > 0 && isNumber(value - before) ? Math.max(0, value - before) / elapsed : NaN);
  const requests = perSecond(stats.requests?.total, last?.requests?.total);
  addPoint(lines.rate, now, requests);
  put($("rate"), shown(isNumber(requests) ? requests : stats.requests?.perSecond, "r"));
  putLine("rate", now, "r", 10);
  const cpu = 100 * perSecond(stats.process?.cpuSeconds, last?.process?.cpuSeconds);
  put($("cpu"), isNumber(cpu) ? `${cpu.toFixed(cpu < 10 ? 1 : 0)} % of a core` : "–");

  const statuses = Object.entries(stats.requests?.byStatus ?? {}).filter(([name, value]) => /^[1-5]xx$/.test(name) && isNumber(value));
  for (const name of ["2xx", "4xx", "5xx"]) if (!statuses.some(([other]) => other === name)) statuses.push([name, 0]);
  const order = statuses.sort(([a], [b]) => (a < b ? -1 : 1));
  // A class more or less moves the others: then all are made anew.
  if ($("status-key").children.length !== order.length) $("status-key").replaceChildren(), $("status-bar").replaceChildren();
  putBar("status", order, 0);
  putBar("queue", [["queue", stats.queue?.depth || 0]], stats.queue?.limit || 1);
  last = newest = stats;
}

function showCounts(counts, now) {
  const n = (name) => (isNumber(counts[name]) ? counts[name] : 0);
  put($("threads-total"), shown(counts.total));
  put($("threads-range"), isNumber(counts.min) && isNumber(counts.max) ? ` of ${counts.max} at most, ${counts.min} at least` : "");
  // Those that lead are counted as idle, too: no request keeps them.
  const parts = ["running", "blocked", "leading"].map((name) => [name, n(name)]);
  parts.push(["idle", Math.max(0, n("idle") - n("leading"))], ["quarantined", n("quarantined")]);
  putBar("threads", parts, n("max"));
  addPoint(lines.threads, now, counts.total);
  putLine("threads", now, "n", Math.max(2, n("min")));
}

function showThreads() {
  const all = list(documents.threads?.threads);
  const busy = $("busy").checked;
  const rows = all.filter((t) => !busy || t.request || !["idle", "starting", "ending"].includes(t.state));
  putRows("threads", rows.slice(0, THREADS).map((thread) => {
    const { request, waitingFor: wait } = thread;
    const state = String(thread.state ?? "–");
    return [
      String(thread.name ?? `thread ${thread.id ?? ""}`), { text: state, state }, shown(thread.since, "d"),
      request ? `${request.method ?? ""} ${request.route ?? ""}`.trim() : "",
      wait ? `${wait.lock ?? "a lock"}${wait.owner ? `, held by ${wait.owner}` : ""}, ${shown(wait.elapsed, "d")}` : "",
      shown(thread.requestsTotal), shown(thread.errorsTotal), shown(thread.cpuSeconds, "d"),
    ];
  }), all.length ? "None is at work." : "The server lists no thread.");
}

let waitsBefore = new Map(), waitsAt = 0;

function showLocks(value, now) {
  const all = list(value.locks).filter((lock) => isNumber(lock.contentionsTotal));
  const id = (lock) => `${lock.kind} ${lock.name}`;
  const recent = (lock) => {
    const before = waitsBefore.get(id(lock));
    return before === undefined ? NaN : Math.max(0, lock.contentionsTotal - before) / (now - waitsAt);
  };
  const rows = all.filter((lock) => lock.contentionsTotal > 0 || lock.waiters?.length)
    .sort((a, b) => b.contentionsTotal - a.contentionsTotal).slice(0, LOCKS)
    .map((lock) => {
      const waiting = Array.isArray(lock.waiters) ? lock.waiters.length : 0;
      const owner = lock.owner ? `held by ${lock.owner}${isNumber(lock.heldFor) ? ` for ${duration(lock.heldFor)}` : ""}` : "";
      return [
        `${lock.name}${lock.instances > 1 ? ` × ${lock.instances}` : ""}`, count(lock.contentionsTotal), shown(recent(lock), "r"),
        shown(lock.acquisitionsTotal), shown(lock.waitSecondsTotal, "d"), shown(lock.wait?.p99, "d"),
        shown(lock.waitSecondsMax, "d"), shown(lock.holdSecondsMax, "d"),
        [owner, waiting ? `${waiting} waiting` : ""].filter(Boolean).join(", ") || "free",
      ];
    });
  putRows("locks", rows, `No thread has had to wait for any of the ${all.length} locks.`);
  waitsBefore = new Map(all.map((lock) => [id(lock), lock.contentionsTotal]));
  waitsAt = now;
  const bad = [["deadlock", value.deadlocks], ["lock order inversion", value.orderInversions]]
    .filter(([, found]) => Array.isArray(found) && found.length)
    .map(([name, found]) => `${found.length} ${name}${found.length > 1 ? "s" : ""}`);
  put($("locks-bad"), bad.length ? `${bad.join(" and ")} found: see /api/locks` : "");
  $("locks-bad").hidden = !bad.length;
}

let events = [], lastEvent = null;

function showEvents() {
  const uptime = documents.stats?.uptime;
  const marks = { spawned: "+ ", ended: "− ", spawnFailed: "! ", stuck: "! " };
  putRows("events", events.map((event) => {
    const age = isNumber(uptime) && isNumber(event.at) ? uptime - event.at : event.age;
    return [
      (marks[event.kind] ?? "· ") + words(event.kind ?? "–"), isNumber(age) ? duration(Math.max(0, Math.round(age))) : "–",
      words(event.reason), String(event.worker ?? ""), shown(event.queueDepth),
    ];
  }), "Nothing yet.");
}

function showRoutes(index) {
  const routes = list(index.routes).filter((route) => typeof route.path === "string" && route.path.startsWith("/"));
  if (!routes.length) return;
  $("routes").replaceChildren(...routes.map((route) => {
    const item = document.createElement("li");
    const text = route.method && route.method !== "GET" ? `${route.method} ${route.path}` : route.path;
    const link = item.appendChild(document.createElement(text === route.path ? "a" : "code"));
    if (link.localName === "a") link.href = `.${route.path}`; // relative: works behind a proxy's prefix, leads nowhere else
    link.textContent = text;
    item.appendChild(document.createElement("span")).textContent = String(route.summary ?? "");
    return item;
  }));
}

// MARK: reading

/** The server answered, but not with the document. */
class Refused extends Error {}

async function read(path, signal, isHealth = false) {
  const limit = AbortSignal.timeout(PATIENCE);
  const both = AbortSignal.any ? AbortSignal.any([signal, limit]) : limit;
  const answer = await fetch(path, { signal: both, cache: "no-store", headers: { Accept: "application/json" } });
  if (!answer.ok && !(isHealth && answer.status === 503)) {
    throw new Refused(`The server answers ${answer.status} ${answer.statusText} to /${path}`.trim());
  }
  const text = await answer.text();
  try {
    return JSON.parse(text) ?? {};
  } catch {
    throw new Refused(`The server's answer to /${path} is not JSON`);
  }
}

function forget() {
  last = newest = null;
  rounds = 0;
  lastEvent = null;
  events = [];
  waitsBefore = new Map();
  for (const points of Object.values(lines)) points.length = 0;
}

async function readEvents(signal) {
  if (lastEvent === null) {
    // First the newest number alone: the ring may hold thousands, and a few are shown.
    const id = (await read(`api/events?since=${Number.MAX_SAFE_INTEGER}`, signal)).lastId;
    events = [];
    lastEvent = Math.max(0, (isNumber(id) ? id : 0) - EVENTS);
  }
  const value = await read(`api/events?since=${lastEvent}`, signal);
  events = list(value.events).reverse().concat(events).slice(0, EVENTS);
  if (isNumber(value.lastId)) lastEvent = value.lastId;
  showEvents();
}

let rounds = 0;
const problems = new Map(); // what is wrong with one part, until that part is read well

/** Reads and shows one part; the others go on without it where the server refuses it. */
async function part(name, action) {
  try {
    await action();
    problems.delete(name);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    problems.set(name, error.message);
  }
}

/** One reading of all documents, one after the other: over one connection, and no more than one request at a time. */
async function round(signal) {
  const stats = await read("api/stats", signal);
  const now = performance.now() / 1000;
  if (newest && (stats.startedAt !== newest.startedAt || stats.uptime < newest.uptime)) forget();
  documents.stats = stats;
  showStats(stats, now);
  await part("threads", async () => {
    documents.threads = undefined;
    documents.threads = await read("api/threads", signal);
  });
  showThreads();
  showCounts(documents.threads?.counts ?? stats.threads ?? {}, now);
  await part("locks", async () => showLocks(await read("api/locks", signal), performance.now() / 1000));
  await part("events", () => readEvents(signal));
  await part("health", async () => showHealth(await read("readyz", signal, true)));
  if (rounds % 10 === 0) {
    await part("pool", async () => (documents.pool = await read("api/pool", signal)));
    await part("routes", async () => showRoutes(await read("api", signal)));
  }
  putFigures(documents);
  rounds += 1;
}

// MARK: how it is with the server

function level(name, text) {
  $("health").dataset.level = name;
  put($("health"), text);
}

function showHealth(health) {
  const reasons = Array.isArray(health.reasons) ? health.reasons.map(String).join(", ") : "";
  const isOk = health.status === "ok";
  level(isOk ? "ok" : "bad", isOk ? "ready" : `not ready${reasons ? `: ${reasons}` : ""}`);
}

let lostAt = null;

function say(text, isStale) {
  $("banner").hidden = !text;
  put($("banner"), text);
  $("main").classList.toggle("stale", isStale);
  document.title = isStale ? "✕ Heddle" : "Heddle";
}

function showFailure(error) {
  lostAt ??= new Date().toLocaleTimeString();
  const old = documents.stats ? " The figures below are old." : "";
  const isRefused = error instanceof Refused;
  level("bad", isRefused ? "no figures" : "not reachable");
  say(isRefused
    ? `${error.message}, since ${lostAt}.${old}`
    : `The server has not answered since ${lostAt}. Asking again every second.${old}`, true);
}

// MARK: the beat

let isPaused = false, timer = 0, current = null;

async function beat() {
  const begun = performance.now();
  const mine = new AbortController();
  current = mine;
  try {
    await round(mine.signal);
    if (mine.signal.aborted) return;
    lostAt = null;
    say([...problems.values()].join(". "), false);
  } catch (error) {
    if (mine.signal.aborted) return;
    showFailure(error);
  }
  timer = setTimeout(beat, Math.max(100, PERIOD - (performance.now() - begun)));
}

function stop() {
  clearTimeout(timer);
  current?.abort();
  current = null;
}

/** Reads while the page is seen and not paused. */
function steer() {
  stop();
  put($("pause"), isPaused ? "Go on" : "Pause");
  if (isPaused || document.hidden) return;
  // Many events may have come meanwhile; differences across a long break say little.
  lastEvent = null;
  last = null;
  beat();
}

$("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  steer();
});
$("busy").addEventListener("change", showThreads);
document.addEventListener("visibilitychange", steer);
const origin = new URL(".", location.href).href.replace(/\/$/, "");
for (const node of document.querySelectorAll("[data-origin]")) put(node, origin);
steer();
