// A file that was cut off lacks its last element, and perhaps the script that would report it.
addEventListener('DOMContentLoaded', () => {
  if (document.getElementById('whole')) return;
  document.querySelector('.damaged h1').textContent = 'This trace is damaged';
  document.querySelector('.damaged p').textContent =
    'The end of the file is missing. Copy it again from where it was written; a CI artifact that was cut off on its way is the usual cause.';
});
