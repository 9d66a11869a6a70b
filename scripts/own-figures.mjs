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
  sofa: '<path fill="#274c9e" d="M4 26h3v3H4zM25 26h3v3h-3z"/><path fill="#3f6fd1" d="M5 9q0-3 3-3h16q3 0 3 3v12H5z"/><path fill="#2f5ab5" d="M15.600 6h.8v11h-.8z"/><path fill="#5b8be6" d="M6 16h9.700v5H6zM16.300 16H26v5h-9.700z"/><path fill="#2f5ab5" d="M1 16q0-3 2.800-3t2.800 3v5h18.800v-5q0-3 2.800-3t2.800 3v9q0 2-2 2H3q-2 0-2-2z"/>',
  knight:
    '<path fill="#7d8591" d="M11 22h4.500v8.500H11zM16.500 22H21v8.500h-4.500z"/><path fill="#5d6672" d="M10 29h5.500v2.500H10zM16.500 29H22v2.500h-5.500z"/><path fill="#a8b2bd" d="M9.500 13.500q6.500-2.500 13 0l.5 9.500H9z"/><path fill="#c0392b" d="M13 14h6v8.500h-6z"/><path fill="#f4efe4" d="M15.300 15h1.400v6.500h-1.400zM13.500 17h5v1.400h-5z"/><path fill="#8b95a1" d="M23 13.800q3 .700 3 4v5h-2.500zM9 13.800q-3 .700-3 4v5h2.500z"/><path fill="#c3cbd3" d="M11 6q0-4 5-4t5 4v6.500q-5 2-10 0z"/><path fill="#2b313a" d="M12 7h8v1.800h-8z"/><path fill="#8b95a1" d="M15.600 8.800h.8v4h-.8zM13 10.500h1v2h-1zM18 10.500h1v2h-1z"/><path fill="#d3423a" d="M16 2q3-3 6-1q-3 .500-4.500 2.500z"/><path fill="#e2b23c" d="M24 20h6v1.500h-6z"/><path fill="#dfe5ea" d="M26.300 5h1.400v15h-1.400z"/><path fill="#3f5f9e" d="M2 16h7v5.500q0 3.500-3.500 5.500Q2 25 2 21.500z"/><path fill="#e2b23c" d="M5 16h1v11H5zM2 19h7v1H2z"/>',
  soldier:
    '<path fill="#4b5a38" d="M11.500 21h4v8.500h-4zM16.500 21h4v8.500h-4z"/><path fill="#2b2a27" d="M10.500 28.500h5V31h-5zM16.500 28.500h5V31h-5z"/><path fill="#667a49" d="M10 12.500q6-2 12 0l.5 9.500h-13z"/><path fill="#667a49" d="M22 12.700q2.800.600 2.800 3.500v5h-2.600zM10 12.700q-2.800.600-2.800 3.500v5h2.600z"/><path fill="#ffc83d" d="M7.200 21h2.600v2.500H7.200zM22.200 21h2.600v2.500h-2.600zM12 6h8v4.500q0 2.500-4 2.500t-4-2.500z"/><path fill="#3c4a2c" d="M9.500 19.500h13v1.800h-13zM12.500 13h1.500v6.500h-1.500z"/><path fill="#2b2a27" d="M13.500 8h1.200v1.400h-1.200zM17.300 8h1.200v1.400h-1.200z"/><path fill="#4b5a38" d="M10 6.500Q10 1 16 1t6 5.500l1.200.8H8.800z"/><path fill="#6b4226" d="M24 24l2-14h1.500l-1 14z"/><path fill="#2b2a27" d="M26.200 3h.9l-.2 8h-1z"/>',
  family:
    '<path fill="#4a5568" d="M4 20h2.800v10H4zM7.200 20H10v10H7.200z"/><path fill="#3f8ad9" d="M3.500 11.500q3.500-1.500 7 0l1.500 8h-2l-.2 2H4.200l-.2-2H2z"/><path fill="#ffc83d" d="M4.200 7a2.800 3 0 1 0 5.600 0a2.800 3 0 1 0-5.600 0z"/><path fill="#5b3a2a" d="M3.900 6.800Q4 3.200 7 3.200t3.100 3.600Q8.500 5.200 7 5.200T3.900 6.800z"/><path fill="#ffc83d" d="M23 24h1.500v6H23zM25.500 24H27v6h-1.500z"/><path fill="#d3527f" d="M21.800 12.200q3.200-1.400 6.400 0l1.300 6.300-1.300.500 1.300 6h-9l1.300-6-1.300-.500z"/><path fill="#8a5a36" d="M21.500 8q0-4 3.500-4t3.500 4v4h-7z"/><path fill="#ffc83d" d="M22.400 8a2.600 2.900 0 1 0 5.200 0a2.600 2.900 0 1 0-5.200 0z"/><path fill="#7c5bbf" d="M14 25h1.700v5H14zM16.300 25H18v5h-1.700z"/><path fill="#f2b632" d="M13.600 19.500q2.400-1 4.800 0l1 5-1.400.2V26h-4v-1.300l-1.400-.2z"/><path fill="#ffc83d" d="M13.800 16.300a2.200 2.400 0 1 0 4.400 0a2.200 2.400 0 1 0-4.400 0z"/><path fill="#d97a2f" d="M13.600 16q.2-2.800 2.400-2.800t2.400 2.800q-1.200-1.200-2.400-1.200T13.600 16z"/>',
  igloo:
    '<path fill="#e4f1fa" d="M2 27Q2 9 16 9t14 18z"/><path fill="#b5d3e8" d="M16 9h1v5h-1zM8 13.500h17v.9H8zM4 19.500h24v.9H4zM10 14.400h1v5h-1zM21 14.400h1v5h-1zM7 20h1v7H7zM24 20h1v7h-1z"/><path fill="#7da7c6" d="M10 27q0-8 6-8t6 8z"/><path fill="#2f4f6b" d="M12.500 27q0-5.500 3.500-5.500t3.500 5.500z"/>',
};
