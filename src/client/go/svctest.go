// Package svctest tests Go programs against svc-emulator. It is one file, uses nothing but the standard library, and
// needs Go 1.19 or later. Put it into a package of your module, and run the tests beside a fresh emulator:
//
//	npx svc-emulator go-client --out svctest/svctest.go
//	npx svc-emulator exec -- go test ./...
//
// Whatever goes wrong in a call of the emulator itself ends the test. Records have the names of docs/http-api.md.
package svctest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// JSON is an object as a request or a fault rule has it.
type JSON = map[string]any

// Error is an answer of status 400 or above.
type Error struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   string `json:"param"`
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message)
}

// Options of an account; what is zero is as Account says.
type Options struct {
	Credits int
	Plan    string // payg, hobby, creator or studio
}

// TestAccount is an account of a test's own: no other test sees what is done on it.
type TestAccount struct {
	ID string
	// Key is the API key, for the client under test.
	Key string
	// BaseURL ends in /v1, as OpenAI clients take it.
	BaseURL string
	// Client sends Key with each request to the emulator; after a redirect to another host it sends none.
	Client    *http.Client
	origin    string
	workspace string
}

// Account opens an account that is called as the test: 1,000 credits on the studio plan, unless options say otherwise.
// When the test fails, the account's requests are logged.
func Account(t testing.TB, options ...Options) *TestAccount {
	t.Helper()
	order := JSON{"name": t.Name(), "plan": "studio", "credits": 1000}
	for _, each := range options {
		if each.Credits != 0 {
			order["credits"] = each.Credits
		}
		if each.Plan != "" {
			order["plan"] = each.Plan
		}
	}
	if os.Getenv("SVC_UNITS") == "1" || os.Getenv("SVC_MUTATE") == "1" {
		_, file, line, _ := runtime.Caller(1)
		addUnit(t, order, file, line)
	}
	var made struct {
		ID        string
		Key       string `json:"api_key"`
		UnitID    string `json:"unit_id"`
		Workspace string `json:"workspace_id"`
	}
	Control(t, "POST", "/accounts", order, &made)
	origin := emulatorURL(t)
	account := &TestAccount{
		ID:        made.ID,
		Key:       made.Key,
		BaseURL:   origin + "/v1",
		Client:    &http.Client{Transport: bearer{made.Key, origin}},
		origin:    origin,
		workspace: made.Workspace,
	}
	if made.UnitID != "" {
		reportEnd(t, made.UnitID)
	}
	t.Cleanup(func() {
		if t.Failed() {
			account.logRequests(t)
		}
	})
	return account
}

// Call asks the service with the account's key: account.Call("GET", "/v1/account", nil, &answer). What it refuses is an *Error.
func (a *TestAccount) Call(method, path string, body, answer any) error {
	return exchange(a.Client, method, a.origin+path, body, answer)
}

// Entry is a movement of money.
type Entry struct {
	ID        string `json:"id"`
	Type      string `json:"type"` // grant, charge, refund or top_up
	Amount    int    `json:"amount"`
	Balance   int    `json:"balance"`
	Operation string `json:"operation"`
	JobID     string `json:"job_id"`
}

// Ledger returns every movement of the account's money, newest first.
func (a *TestAccount) Ledger(t testing.TB) []Entry {
	t.Helper()
	entries := []Entry{}
	query := url.Values{"limit": {"1000"}}
	for {
		var page struct{ Data []Entry }
		Control(t, "GET", "/accounts/"+a.ID+"/usage?"+query.Encode(), nil, &page)
		entries = append(entries, page.Data...)
		if len(page.Data) < 1000 {
			return entries
		}
		query.Set("after", entries[len(entries)-1].ID)
	}
}

// Spend is what work cost: credits net of refunds, the number of refunds, and the entries of the ledger.
type Spend struct {
	Credits int
	Refunds int
	Entries []Entry
}

func (s Spend) String() string {
	lines := []string{fmt.Sprintf("%d credits spent and %d refunds:", s.Credits, s.Refunds)}
	if len(s.Entries) == 0 {
		lines = append(lines, "  no money moved")
	}
	for _, each := range s.Entries {
		lines = append(lines, fmt.Sprintf("  %s %d (%s), balance %d", each.Type, each.Amount, each.Operation, each.Balance))
	}
	return strings.Join(lines, "\n")
}

// Spend measures what work costs the account, once the renders that it started are settled or refunded.
func (a *TestAccount) Spend(t testing.TB, work func()) Spend {
	t.Helper()
	before := map[string]bool{}
	for _, each := range a.Ledger(t) {
		before[each.ID] = true
	}
	work()
	a.WaitIdle(t)
	spend := Spend{}
	for _, each := range a.Ledger(t) {
		if before[each.ID] || (each.Type != "charge" && each.Type != "refund") {
			continue
		}
		spend.Credits -= each.Amount
		if each.Type == "refund" {
			spend.Refunds++
		}
		spend.Entries = append(spend.Entries, each)
	}
	return spend
}

// ExpectSpend fails the test, with the rows of the ledger, unless work costs so many credits net of refunds.
func (a *TestAccount) ExpectSpend(t testing.TB, credits int, work func()) Spend {
	t.Helper()
	spend := a.Spend(t, work)
	if spend.Credits != credits {
		t.Errorf("Expected %d credits spent, got %v", credits, spend)
	}
	return spend
}

// Fault adds a fault rule that applies to this account alone, and removes it with the test. Returns its id.
//
//	account.Fault(t, svctest.JSON{"match": svctest.JSON{"path": "/v1/music"}, "effect": svctest.JSON{"fail_job": "out_of_tune"}})
func (a *TestAccount) Fault(t testing.TB, rule JSON) string {
	t.Helper()
	match := JSON{}
	if given, isJSON := rule["match"].(JSON); isJSON {
		for name, value := range given {
			match[name] = value
		}
	} else if rule["match"] != nil {
		t.Fatalf("svctest: match of a fault rule must be svctest.JSON, got %T", rule["match"])
	}
	match["account_id"] = a.ID
	order := JSON{}
	for name, value := range rule {
		order[name] = value
	}
	order["match"] = match
	var made struct{ ID string }
	Control(t, "POST", "/faults", order, &made)
	t.Cleanup(func() { Control(t, "DELETE", "/faults/"+made.ID, nil, nil) })
	return made.ID
}

// Job is a render.
type Job struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	ResultURL string `json:"result_url"`
	Error     *Error `json:"error"`
}

// WaitJob returns a job once it has succeeded or failed. It waits for at most a minute.
func (a *TestAccount) WaitJob(t testing.TB, id string) Job {
	t.Helper()
	var job Job
	a.wait(t, url.Values{"for": {"job:" + id}}, &job)
	return job
}

// WaitIdle waits until nothing of the account is queued, rendered, run or delivered, for at most a minute.
func (a *TestAccount) WaitIdle(t testing.TB) {
	t.Helper()
	a.wait(t, url.Values{"for": {"idle"}}, nil)
}

// waitSeconds is less under check: much never comes there, and the other tests would wait for it too.
func waitSeconds() string {
	if os.Getenv("SVC_EXPLORE") == "1" || os.Getenv("SVC_MUTATE") == "1" {
		return "10"
	}
	return "60"
}

func (a *TestAccount) wait(t testing.TB, query url.Values, found any) {
	t.Helper()
	query.Set("account_id", a.ID)
	query.Set("timeout", waitSeconds())
	Control(t, "GET", "/wait?"+query.Encode(), nil, found)
}

// Receiver is a server for webhooks that is subscribed for an account, and ends with the test.
type Receiver struct {
	URL        string
	Secret     string
	EndpointID string
	account    *TestAccount
	last       map[string]string
	seen       map[string]bool
}

// Delivery is what a receiver was sent, and the status of its answer; 0 where there was none.
type Delivery struct {
	ID             string `json:"id"`
	EventID        string `json:"event_id"`
	EndpointID     string `json:"endpoint_id"`
	Type           string `json:"type"`
	ResponseStatus int    `json:"response_status"`
	Envelope       struct {
		ID      string          `json:"id"`
		Type    string          `json:"type"`
		Created int64           `json:"created"`
		Data    json.RawMessage `json:"data"`
	} `json:"envelope"`
}

// Receiver serves a receiver that answers 204 to what Verify accepts, and 400 to all else.
func (a *TestAccount) Receiver(t testing.TB, events ...string) *Receiver {
	t.Helper()
	return a.Serve(t, "/", verifying, events...)
}

func verifying(secret string) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err == nil {
			err = Verify(body, request.Header.Get("Svc-Signature"), secret)
		}
		if err != nil {
			http.Error(answer, err.Error(), http.StatusBadRequest)
			return
		}
		answer.WriteHeader(http.StatusNoContent)
	})
}

// Serve serves a handler of your own, made from the secret with which its deliveries are signed, and subscribes it at path.
func (a *TestAccount) Serve(t testing.TB, path string, handler func(secret string) http.Handler, events ...string) *Receiver {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	t.Cleanup(server.Close)
	address := "http://" + server.Listener.Addr().String() + path
	var endpoint struct{ ID, Secret string }
	// Through the control surface: what a suite needs to run is no request of the app that it tries.
	Control(t, "POST", "/endpoints", JSON{"url": address, "events": events, "workspace_id": a.workspace}, &endpoint)
	t.Cleanup(func() { Control(t, "DELETE", "/endpoints/"+endpoint.ID, nil, nil) })
	server.Config.Handler = handler(endpoint.Secret)
	server.Start()
	return &Receiver{URL: address, Secret: endpoint.Secret, EndpointID: endpoint.ID, account: a, last: map[string]string{}, seen: map[string]bool{}}
}

// Wait returns the first genuine delivery of the next event of a type once it was answered: the first call that of the first
// event, at once where it is there already. What is forged, replayed or a duplicate is passed over. It waits for at most a
// minute, and within a run of check for ten seconds.
func (r *Receiver) Wait(t testing.TB, event string) Delivery {
	t.Helper()
	for {
		query := url.Values{"for": {"delivery:" + event}, "genuine": {"true"}}
		if last := r.last[event]; last != "" {
			query.Set("after", last)
		}
		var found Delivery
		r.account.wait(t, query, &found)
		r.last[event] = found.ID
		if found.EndpointID == r.EndpointID && !r.seen[found.EventID] {
			r.seen[found.EventID] = true
			Control(t, "GET", "/deliveries/"+found.ID, nil, &found)
			return found
		}
	}
}

// Verify returns nil for the body, as it was received, of a delivery that is genuine and at most five minutes old. header is
// the value of svc-signature; of several v1 one has to fit.
func Verify(body []byte, header, secret string) error {
	stamp, proofs := "", []string{}
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "t" && stamp == "" {
			stamp = value
		}
		if name == "v1" {
			proofs = append(proofs, value)
		}
	}
	sent, err := strconv.ParseUint(stamp, 10, 40)
	if err != nil {
		return fmt.Errorf("svc-signature reads %.80q where t=<unix>,v1=<hex> was expected", header)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	fits := false
	for _, proof := range proofs {
		fits = hmac.Equal([]byte(proof), expected) || fits
	}
	if !fits {
		return errors.New("no v1 of svc-signature fits the body and the secret: pass the body as it was received")
	}
	if age := time.Since(time.Unix(int64(sent), 0)); age > 5*time.Minute {
		return fmt.Errorf("the signature is %v old where at most 5m are accepted", age.Round(time.Second))
	}
	return nil
}

// Advance moves the emulator's clock, and returns when all that fell due has settled. The clock is that of all tests.
func Advance(t testing.TB, span time.Duration) {
	t.Helper()
	Control(t, "POST", "/clock/advance", JSON{"seconds": span.Seconds()}, nil)
}

// Control asks the control surface, below /_emulator: Control(t, "GET", "/engines", nil, &engines). An error ends the test.
func Control(t testing.TB, method, path string, body, answer any) {
	t.Helper()
	origin := emulatorURL(t)
	client := &http.Client{Transport: bearer{os.Getenv("SVC_EMULATOR_CONTROL_TOKEN"), origin}}
	if err := exchange(client, method, origin+"/_emulator"+path, body, answer); err != nil {
		t.Fatalf("svctest: %s /_emulator%s: %v", method, path, err)
	}
}

func emulatorURL(t testing.TB) string {
	t.Helper()
	address := os.Getenv("SVC_BASE_URL")
	if address == "" {
		t.Fatal("svctest: no emulator. Run the tests by `npx svc-emulator exec -- go test ./...`, or set SVC_BASE_URL to the address of one.")
	}
	return strings.TrimRight(address, "/")
}

// bearer is a transport that sends a key, unless it is empty, to one origin alone.
type bearer struct{ key, origin string }

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := request.Clone(request.Context())
	if own, err := url.Parse(b.origin); b.key != "" && err == nil && sent.URL.Scheme == own.Scheme && sent.URL.Host == own.Host {
		sent.Header.Set("Authorization", "Bearer "+b.key)
	}
	return http.DefaultTransport.RoundTrip(sent)
}

// exchange sends body as JSON, unless it is nil, and reads the JSON of the answer into answer, unless that is nil.
func exchange(client *http.Client, method, address string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, address, sent)
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		return errorOf(response.StatusCode, text)
	}
	if answer == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, answer)
}

func errorOf(status int, text []byte) error {
	refused := struct{ Error Error }{}
	if err := json.Unmarshal(text, &refused); err != nil || refused.Error.Code == "" {
		refused.Error = Error{Code: "unknown", Message: fmt.Sprintf("%.500s", text)}
	}
	refused.Error.Status = status
	return &refused.Error
}

// logRequests shows what the account of a failed test has asked, and what it got.
func (a *TestAccount) logRequests(t testing.TB) {
	t.Helper()
	var page struct {
		Data []struct {
			ID, Method, Path, Answer string
			Status, Credits          int
		}
	}
	Control(t, "GET", "/requests?account_id="+a.ID, nil, &page)
	if len(page.Data) == 0 {
		return
	}
	lines := []string{"Requests of " + a.ID + ", newest first:"}
	for _, each := range page.Data {
		line := fmt.Sprintf("  %s %s -> %d, %d credits (%s)", each.Method, each.Path, each.Status, each.Credits, each.ID)
		if each.Status >= 400 {
			line += fmt.Sprintf("\n    got %.300s", each.Answer)
		}
		lines = append(lines, line)
	}
	t.Log(strings.Join(lines, "\n"))
}

// units are the reported tests that run, by their testing.TB: further accounts of one belong to it too.
var units sync.Map

// addUnit says for which test an account is made, to a run that asks for it.
func addUnit(t testing.TB, order JSON, file string, line int) {
	if id, isReported := units.Load(t); isReported {
		order["unit_id"] = id
		return
	}
	order["unit"] = JSON{"name": t.Name(), "file": file, "line": line}
}

// reportEnd reports how the test ended, once for all of its accounts.
func reportEnd(t testing.TB, id string) {
	t.Helper()
	if _, isReported := units.LoadOrStore(t, id); isReported {
		return
	}
	t.Cleanup(func() {
		units.Delete(t)
		outcome := "passed"
		if t.Failed() {
			outcome = "failed"
		} else if t.Skipped() {
			outcome = "skipped"
		}
		Control(t, "PATCH", "/units/"+id, JSON{"outcome": outcome}, nil)
	})
}
