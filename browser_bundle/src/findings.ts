/** What a check says about a manifest; lines and columns count from 1. */
export interface Finding {
  rule: string;
  severity: "error" | "warning" | "info";
  message: string;
  help: string;
  path: string;
  span: { start: Place; end: Place };
  tool?: string;
  fix?: { title: string; edits: { start_offset: number; end_offset: number; text: string }[] };
}

export interface Place {
  line: number;
  column: number;
}
