/** The codes of one of Layer III's tables, at 16 times the first of a pair of values and once the second. */
export interface PairTable {
  codes: Uint16Array;
  /** In bits, without signs. */
  lengths: Uint8Array;
}

/** By the table's number: rows by the first value of a pair, in each a code by the second: its length, then its bits, both to the base 36. */
const PAIRS: Record<number, string> = {
  1: '11 31|21 30',
  2: '11 32 61|33 31 51|53 52 60',
  3: '23 22 61|31 21 51|53 52 60',
  5: '11 32 66 75|33 31 64 74|67 65 77 81|76 61 71 80',
  6: '37 33 55 71|36 22 43 52|45 44 54 61|63 53 62 70',
  7: '11 32 6a 8j 8g 9a|33 43 67 7a 75 83|6b 54 7d 8h 88 94|7c 7b 8i 9f 9b 92|77 76 89 9e 93 a1|86 84 95 a3 a2 a0',
  9: '37 35 59 6e 8f 97|36 34 45 55 66 87|47 46 58 68 78 85|6f 56 69 7a 75 81|7b 67 79 76 84 91|8e 74 86 82 96 90',
  10:
    '11 32 6a 8n 9z 9u 9c ah|33 43 68 7c 8i 9l 8c 87|6b 69 7f 8l 9w a14 9j 96|7e 7d 8m 9y a1a an 9i a7|8k 8j 9x ' +
    'a1b ar am a9 a3|9v 9m a15 aq bl bk a5 b3|8e 8d 9a ab ag a6 b5 b1|99 88 97 a8 a4 b4 b2 b0',
  12:
    '49 36 5g 7x 815 913 912 9q|37 35 46 59 7n 7g 8q 8b|5h 47 5b 6e 7l 8u 7a 87|6h 5a 6f 6c 7i 8s 8e 85|7w 6d 7m ' +
    '7j 8i 8g 89 95|814 7h 8v 8t 8h 9d 84 92|8r 7c 7b 8f 8a 97 94 a1|9r 8c 88 9c 96 93 91 a0',
  13:
    '11 45 6e 7l 8y 91f 91a a1z 916 a1g b1w b1g c1v c18 d17 dj|33 44 6c 7j 8v 8q 918 9x 9v 9o aw ao bv cz cm ce|' +
    '6f 6d 7n 810 91n 91d a25 a1t 9t a14 au b14 br cx d16 dg|7m 7k 811 91p 91k a27 a21 a1s a17 b24 b1k b11 bq cv ' +
    'dp de|8z 7g 91o 91l a2p a23 b36 b2j a1i b21 b1j c15 c1c d1h dn eo|91m 8r 91e a2o a24 a1y b2l b2c b25 b1m ' +
    'c27 bt d22 d1d e15 eh|91b 919 a26 a22 b37 b2m b2i b27 b1x c2b c1z c1e d1n d12 e10 ef|a20 9y a1k b2n b2k b2d ' +
    'c2j c2i c2e c21 d25 d1t d1f e18 g17 g16|917 8k 9u a18 a1j b26 b20 c2f c26 c1p c1a d1i d11 eu fk fg|a1h 9p ' +
    'a15 a11 b18 b1n b1i d29 c1u d24 d1l e1i e11 ei g13 fb|az ax av b1l b16 c2a c20 d28 c1b d1m e1j dl em fq g12 ' +
    'hm|b1h ap an b12 c1y c1o c1f c10 d1j dq dy en fr fe f9 g7|by bw bs c13 c1d d23 cu d1g e1c e14 f1g fs fi gh ' +
    'g9 g5|c19 bl cy d1s d1k d1e e1d e19 ev ej ec ff ga f7 g6 g3|d1c cn ck d13 d10 dz f1h el eg hn fd fa f6 h1 ' +
    'g4 g2|cg cf dh er ep ek ft eb fh fc gg g8 j1 i1 j0 g1',
  15:
    '37 4c 5i 71h 71b 824 93g 930 92h a3f a30 b3b b2z b29 c3e d1r|4d 35 5g 6r 71a 710 81p 81f 816 91y 91g a2b ' +
    'a1t a15 b1n b10|5j 5h 5f 6o 715 7y 81n 81c 814 91s 91e a26 a1q b28 b1k bx|6t 6s 6p 717 713 81r 81j 92l 924 ' +
    '91n a2l a20 a1i b23 b1e bt|71g 6m 716 714 81v 81l 92n 927 920 91l a2h a1x a1d b1u b1a br|825 711 7z 81u 81m ' +
    '81g 92j 922 91q 91c a27 a1r b2i b1q b14 c12|93h 7w 81o 81k 81e 92k 926 91t 91j a2f a1z a1f b21 b1f c1y cu|' +
    '931 81h 81d 92m 92g 923 91u a3e a2j a21 a1k a16 b1s b18 bl cp|92i 817 815 925 921 91r 91k a2k a25 a1u a1b ' +
    'b1v b1c c1h c10 ck|91z 8y 91v 91o 91m 91d a2g a24 a1v b2y b1z b1i b12 c13 cn cf|a31 91h 91f 91b a2i a2a a1m ' +
    'a1l a1c b20 b1l b15 bn cr d1q c9|a2e 916 914 911 a1y a1s a1g a17 b1y b1j b16 bp ct ci cb db|b3a a1w 9u a1j ' +
    'a1e a1a b22 b1t b1d b13 bo bg cm cd de d7|b2j a18 a13 a12 ay b1r b1g b19 bv c1g cs cj ce c8 d9 d3|c3f b1o ' +
    'b1m b1h b1b b17 bw bm c11 co ch cc df da c2 d1|c1z b11 by bu bs bk bh cq cl cg ca c6 d8 d6 d2 d0',
  16:
    '11 45 6e 818 922 91r a32 a2l b4s b45 b3u c6q c69 c5f dag 9h|33 44 6c 7k 8z 91q 91h 91b a2b a23 a1w b3b c5l ' +
    'b2z c5r 89|6f 6d 7n 812 91v 91m a2v a2i b4h a20 b3j b39 b32 c5t c5q 9g|819 7l 813 91x 91s a36 a2r a2f b4e ' +
    'b3w c70 c5w c5j dar da5 aq|923 810 91w 91t a37 a2t b4z b4k b4b c7c c6u c6a daz dam da2 99|91u 8u 91n 91k ' +
    'a2u b55 b4t c7d b3y c71 c6g db4 das dai ecd ag|a33 91i 91g a2s b54 b4y b4g b3p c75 c6s c6c c61 dap da6 ejv ' +
    'aa|a2q 91c a2j a2g b4l b4d b44 c79 c6w dbb db1 dac dak fop fok a8|a2d a2c a29 b4f b4c b3z c78 c6x dbv db5 ' +
    'daw dan ek7 ejt ejo a7|b4a a24 a21 b3x b3n c74 c6t dbu dba day dao ekf d9z ejq d9s bb|b3v b3l a1v b3h c6v ' +
    'c6h c6d c63 dax ekn ekh ek0 fol foi ec7 a4|c6r b3c b3a b37 c6b c67 db0 ekq ekm ekg ek1 ejs ejm d67 ec4 b6|' +
    'c5m c68 c66 c62 c60 dat daq dal da4 foo ecb ejn ec8 ec5 g1c0 b4|ekr c5v c5u c5s daa daj eke ek3 eju g1c7 ' +
    'foj fod foc h2o3 fo1 b2|dah da9 b2u c57 ek6 ek2 d9y ejr ejp fo2 g1c6 fo7 h2o2 fo6 ec2 b0|9c 8a 87 9b 9a ah ' +
    'ab a9 bd bc ba b7 b5 b3 b1 83',
  24:
    '4f 4d 61a 728 842 97a 96w ac2 abu bil bi5 bi1 bh9 bed cso 92g|4e 4c 5l 612 71z 83m 83e 960 95t 95i a93 a9l ' +
    'a8v a89 a7r 816|61b 5m 615 722 71w 83k 83c 965 95r 95e 952 a9g a8r a87 bf1 7i|729 613 723 71y 83q 83h 838 ' +
    '964 95o 95a 94y a91 a8n a85 a7j 7g|843 720 71x 83r 83j 83a 834 95u 95k 958 a9s a8z a8i a7x bf0 7e|97b 71u ' +
    '83l 83i 83b 836 95y 95m 95c 950 a9h a8t a8d a7t a7a 7c|96x 83f 83d 839 835 95z 95q 95f 955 a9n a96 a8k a83 ' +
    'a7k beg 7a|ac3 837 833 831 95v 95n 95g 957 a9t a98 a8p a8a a7v ber bal 8h|abv 95w 95s 95p 95l 95d 956 94x ' +
    '94p a8w a8f a7y a7g bea bah 8g|a9b 95j 95h 95b 959 951 94u a99 a8x a8h a81 a7n beh baj bab 8b|bik 954 953 ' +
    '94z 94v a9k a97 a8q a8g a82 a7p beq ban bad ba6 8a|bi4 a9m 94r 94o 94k a8u a8l a8b a7z a7o a7b be9 baf ba8 ' +
    'ba2 86|bi0 a8y a8s a8o a8j a8e a84 a7w a7h a79 be8 bag baa ba4 b9z 84|bh8 a8c a88 a86 a80 a7u a7l a7e beb ' +
    'bak bae ba9 ba5 ba1 b9x 82|csp a7s a7q a7m a7f a7c a77 bam bai bac ba7 ba3 ba0 b9y b9w 80|817 7k 7j 7h 7f ' +
    '7d 7b 79 77 76 74 87 85 83 81 43',
};

/** Of four values that are 0 or 1, by their bits from the first on: lengths without signs, and codes. */
export const FOUR_LENGTHS = [1, 4, 4, 5, 4, 6, 5, 6, 4, 5, 5, 6, 5, 6, 6, 6] as const;
export const FOUR_CODES = [1, 5, 4, 5, 6, 5, 4, 4, 7, 3, 6, 0, 7, 2, 3, 1] as const;

/** The tables by their numbers; 16 and 24 stand for the eight that begin with each and differ in what may be added to 15. */
export function readPairTables(): ReadonlyMap<number, PairTable> {
  return new Map(Object.entries(PAIRS).map(([number, text]) => [Number(number), readTable(text)]));
}

function readTable(text: string): PairTable {
  const table = { codes: new Uint16Array(256), lengths: new Uint8Array(256) };
  for (const [x, row] of text.split('|').entries()) {
    for (const [y, code] of row.split(' ').entries()) {
      table.lengths[16 * x + y] = Number.parseInt(code.slice(0, 1), 36);
      table.codes[16 * x + y] = Number.parseInt(code.slice(1), 36);
    }
  }
  return table;
}

/** How many of four values are 1: each has a sign behind their code. */
export const ONES = Array.from({ length: 16 }, (_, four) => [8, 4, 2, 1].filter((bit) => four & bit).length);

/** The sign bit of a value. */
export function sign(value: number): 0 | 1 {
  return value < 0 ? 1 : 0;
}
