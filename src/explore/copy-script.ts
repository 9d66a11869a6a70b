/** The one script of a report's page: lays what stands beside a button into the clipboard, and says so. */
export const COPY_SCRIPT = `
for (const button of document.querySelectorAll('button[data-copies]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const from = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(from.textContent);
    } catch {
      // Where the page may not, the person does: the text is selected.
      getSelection().selectAllChildren(from);
      button.textContent = 'Selected';
      return;
    }
    button.textContent = 'Copied';
  });
  button.addEventListener('blur', () => { button.textContent = 'Copy'; });
}
`;
