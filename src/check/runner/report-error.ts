/** What was found, as the message of an error; `report` is what `--report` writes. */
export class ReportError<Report> extends Error {
  readonly report: Report;

  constructor(message: string, report: Report) {
    super(message);
    this.report = report;
  }
}
