/** Everyday things that no emoji shows, drawn in the same flat manner on 32 × 32. */
export const OWN_FIGURES = {
  lighthouse:
    '<path fill="#7d8591" d="M6 31h20l-3-4H9z"/><path fill="#f4f4f4" d="M12 9h8l2.5 18h-13z"/><path fill="#d3423a" d="M11.6 12h8.8l.5 4h-9.8zM10.8 19h10.4l.6 4H10.2z"/><path fill="#3a3f49" d="M10.5 8h11v1.6h-11z"/><path fill="#ffd866" d="M12.5 4.2h7V8h-7z"/><path fill="#d3423a" d="M11.5 4.4L16 .8l4.5 3.6z"/><path fill="#5b3a2a" d="M14.8 24h2.4v3h-2.4z"/>',
  windmill:
    '<path fill="#b98b64" d="M12 14h8l3 17H9z"/><path fill="#8a5a36" d="M11.5 14L16 9l4.5 5z"/><path fill="#5b3a2a" d="M14.5 25h3v6h-3z"/><path fill="#f4efe4" d="M16.5 12.5l9-10 3 2.6-9 9.4zM15.5 12.5l-9-10-3 2.6 9 9.4zM16.5 13.5l9 10 3-2.6-9-9.4zM15.5 13.5l-9 10-3-2.6 9-9.4z"/><path fill="#5b3a2a" d="M15.4 12.4L28 2l.8.8-12 10.8L29 23.6l-.9.9-12-10.4L4 24.5l-.8-.9L15 13.2 3.2 2.8 4 2z"/>',
  bridge:
    '<path fill="#c0453b" d="M6 8h3v20H6zM23 8h3v20h-3z"/><path fill="#5d6672" d="M0 19h32v3H0z"/><path fill="#d97a70" d="M0 17.5L7.5 8.4 8 9.5Q16 22.5 24 9.5l.5-1.1 7.5 9.1V19l-7.7-9.3Q16 24.500 7.700 9.700L0 19z"/><path fill="#7d8591" d="M12 16.500h.8V19H12zM15.600 17.500h.8V19h-.8zM19.200 16.500h.8V19h-.8z"/>',
  table:
    '<path fill="#8a5a36" d="M4 14h3.500l-1 15H4.200zM24.500 14H28l-.2 15h-2.300z"/><path fill="#6b4226" d="M9 14h2.500l-.5 11H9.300zM20.500 14H23l-.3 11H21z"/><path fill="#b97b4a" d="M1 10.500L5 7h22l4 3.500z"/><path fill="#9c6337" d="M1 10.500h30V14H1z"/>',
  barn: '<path fill="#b53a2f" d="M4 14l12-8 12 8v16H4z"/><path fill="#7d2a22" d="M2.500 14.500L8 8.500l8-5 8 5 5.500 6-1.500.8L23 10l-7-4.300L9 10l-5 5.300z"/><path fill="#f4efe4" d="M10 18h12v12H10zM13.500 10.500h5v4h-5z"/><path fill="#8f2d24" d="M11 19h4.500v11H11zM16.500 19H21v11h-4.500z"/>',
  submarine:
    '<path fill="#f2b632" d="M3 20q0-6.500 9-6.500h10Q30 13.500 30 20t-8 6.500H12Q3 26.500 3 20z"/><path fill="#d99a1f" d="M12 8.500h7l1.500 5.500H11z"/><path fill="#8b929c" d="M15 3h5v1.800h-3.200V9H15zM1 16l3 3v3l-3 3z"/><path fill="#4cc9f0" d="M9 20a2.200 2.200 0 1 0 4.400 0a2.200 2.200 0 1 0-4.400 0zM15.500 20a2.200 2.200 0 1 0 4.400 0a2.200 2.200 0 1 0-4.400 0zM22 20a2.200 2.200 0 1 0 4.400 0a2.200 2.200 0 1 0-4.400 0z"/>',
  bookcase:
    '<path fill="#8a5a36" d="M4 1h24v30H4z"/><path fill="#5b3a2a" d="M6 3h20v8H6zM6 12.500h20v8H6zM6 22h20v7.500H6z"/><path fill="#d3423a" d="M7 4h3v7H7zM15 13.500h3v7h-3zM20 23h3v6.500h-3z"/><path fill="#3f8ad9" d="M10.500 5h2.500v6h-2.500zM18.500 14h3v6.500h-3zM7 23.500h3v6H7z"/><path fill="#f2c230" d="M14 4.500h3V11h-3zM7 14h3.500v6.500H7zM11 24h2.500v5.500H11z"/><path fill="#3aa655" d="M19 4h3v7h-3zM11 13.500h3v7h-3zM15 23h3.500v6.500H15z"/>',
  refrigerator:
    '<path fill="#dfe5ea" d="M7 1h18v29H7z"/><path fill="#b9c3cc" d="M7 11.500h18V13H7zM8 30h3v1.500H8zM21 30h3v1.500h-3z"/><path fill="#6d7782" d="M9 5h1.600v5H9zM9 15h1.600v7H9z"/>',
  lamp: '<path fill="#6d7782" d="M15 13h2v15h-2zM9 28h14v2.500H9z"/><path fill="#ffd866" d="M11 2h10l5 12H6z"/><path fill="#fff3c4" d="M13 4h6l1.500 4h-9z"/>',
  cup: '<path fill="#d9dee4" d="M22 11h4q4 0 4 4.500t-4 4.500h-4v-3h3.500q1.500 0 1.500-1.600t-1.500-1.500H22z"/><path fill="#f4f6f8" d="M5 8h18v14q0 5-5 5h-8q-5 0-5-5z"/><path fill="#c3cbd3" d="M5 8h18v2.500H5z"/>',
  oven: '<path fill="#e4e8ec" d="M4 3h24v27H4z"/><path fill="#3a3f49" d="M7 14h18v12H7z"/><path fill="#f08a4b" d="M9 20h14v4H9z"/><path fill="#8b929c" d="M6 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0zM12 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0zM22 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0zM7 10.500h18V12H7z"/>',
  pyramid: '<path fill="#e3b565" d="M16 4L1 29h19z"/><path fill="#b98540" d="M16 4l4 25h11z"/>',
  skirt:
    '<path fill="#d3527f" d="M10 4h12l6 22H4z"/><path fill="#a83a60" d="M10 4h12v3.500H10z"/><path fill="#bf4570" d="M13 8h1.500L12 26h-2zM18 8h1.500L22 26h-2z"/>',
  belt: '<path fill="#6b4226" d="M1 13h30v7H1z"/><path fill="#e2b23c" d="M11 11h10v11H11z"/><path fill="#6b4226" d="M13.500 13.500h5v6h-5z"/><path fill="#e2b23c" d="M16 15.800h6v1.500h-6z"/>',
  plate:
    '<path fill="#e8ecf0" d="M2 20a14 8 0 1 0 28 0a14 8 0 1 0-28 0z"/><path fill="#cdd5dc" d="M7 19.500a9 4.800 0 1 0 18 0a9 4.800 0 1 0-18 0z"/><path fill="#f6f8fa" d="M8 20.300a8 3.900 0 1 0 16 0a8 3.900 0 1 0-16 0z"/>',
  kettle:
    '<path fill="#7d8591" d="M9 10q0-7 7-7t7 7h-2q0-5-5-5t-5 5z"/><path fill="#c0453b" d="M7 27q-2-8 3-15.500h12Q27 19 25 27zM24.500 17l5.500-4v3.500l-5 6z"/><path fill="#3a3f49" d="M12 9.500h8v2.500h-8zM6.500 26.500h19V29h-19z"/>',
  carpet:
    '<path fill="#a83a3a" d="M5 9h22l4 16H1z"/><path fill="#e2b23c" d="M7 11h18l2.800 12H4.200z"/><path fill="#a83a3a" d="M8 12.500h16l2 9H6z"/><path fill="#3f5f9e" d="M16 13.500l5 3.500-5 3.500-5-3.500z"/>',
  pillow:
    '<path fill="#eef1f5" d="M3 10q13 3.500 26 0q-3 7 0 14q-13-3.500-26 0q3-7 0-14z"/><path fill="#cfd7e0" d="M6 21q10-3 20 0l1.500 2.500q-11.500-3-23 0z"/>',
  fence:
    '<path fill="#c79a66" d="M1 14h30v3H1zM1 22h30v3H1z"/><path fill="#e3bd8b" d="M3 10l2.500-3L8 10v20H3zM10 10l2.500-3 2.500 3v20h-5zM17 10l2.500-3 2.500 3v20h-5zM24 10l2.500-3 2.500 3v20h-5z"/>',
  igloo:
    '<path fill="#e4f1fa" d="M2 27Q2 9 16 9t14 18z"/><path fill="#b5d3e8" d="M16 9h1v5h-1zM8 13.500h17v.9H8zM4 19.500h24v.9H4zM10 14.400h1v5h-1zM21 14.400h1v5h-1zM7 20h1v7H7zM24 20h1v7h-1z"/><path fill="#7da7c6" d="M10 27q0-8 6-8t6 8z"/><path fill="#2f4f6b" d="M12.500 27q0-5.500 3.500-5.500t3.500 5.500z"/>',
};
