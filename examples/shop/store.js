import Database from 'better-sqlite3';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS customers (
    name TEXT PRIMARY KEY,
    credits INTEGER NOT NULL CHECK (credits >= 0)
  );
  CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY,
    customer TEXT NOT NULL REFERENCES customers,
    kind TEXT NOT NULL,
    prompt TEXT NOT NULL,
    price INTEGER NOT NULL,
    -- new: not sent. sent: no response yet. rendering: charged. done, failed: final.
    status TEXT NOT NULL DEFAULT 'new',
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    sent_at INTEGER,
    -- The account just before the order was sent: they show later whether the order was charged.
    requests_before INTEGER,
    credits_before INTEGER,
    newest_object_before TEXT,
    job_id TEXT UNIQUE,
    url TEXT,
    error TEXT
  );
  CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY);
`;

export function openStore(file) {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(SCHEMA);
  const open = "status NOT IN ('done', 'failed')";

  return {
    close: () => db.close(),
    addCustomer: (name, credits) => db.prepare('INSERT INTO customers VALUES (?, ?)').run(name, credits),
    customer: (name) => db.prepare('SELECT * FROM customers WHERE name = ?').get(name),
    order: (id) => db.prepare('SELECT * FROM orders WHERE id = ?').get(id),
    openOrders: () => db.prepare(`SELECT * FROM orders WHERE ${open} ORDER BY id`).all(),

    /** Takes the price from the customer. Returns the id, or undefined if the credits do not suffice. */
    addOrder: db.transaction((customer, kind, prompt, price) => {
      const pay = db.prepare(
        'UPDATE customers SET credits = credits - @price WHERE name = @customer AND credits >= @price',
      );
      if (pay.run({ customer, price }).changes === 0) return undefined;
      const add = db.prepare('INSERT INTO orders (customer, kind, prompt, price) VALUES (?, ?, ?, ?)');
      return add.run(customer, kind, prompt, price).lastInsertRowid;
    }),

    change(id, values) {
      const assignments = Object.keys(values).map((name) => `${name} = @${name}`);
      return (
        db.prepare(`UPDATE orders SET ${assignments} WHERE id = @id AND ${open}`).run({ ...values, id }).changes > 0
      );
    },

    /** Ends an order and gives the price back, once. */
    failOrder: db.transaction((id, error) => {
      const fail = db.prepare(`UPDATE orders SET status = 'failed', error = ? WHERE id = ? AND ${open}`);
      if (fail.run(error, id).changes === 0) return;
      db.prepare(
        `UPDATE customers SET credits = credits + orders.price FROM orders
         WHERE orders.id = ? AND customers.name = orders.customer`,
      ).run(id);
    }),

    /** False for an event that was handled before. */
    addEvent: (id) => db.prepare('INSERT OR IGNORE INTO events VALUES (?)').run(id).changes > 0,
  };
}
