// Sets the chosen theme before anything is drawn, so that no other one flashes up.
try {
  document.documentElement.dataset.theme = localStorage.getItem('svc-emulator.theme') ?? 'system';
} catch {
  // A browser may forbid storage.
}
