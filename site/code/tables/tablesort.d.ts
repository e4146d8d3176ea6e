declare module "tablesort" {
  export default class Tablesort {
    constructor(table: HTMLTableElement);
    static extend(
      name: string, applies: (cell: string) => boolean, compare: (first: string, second: string) => number,
    ): void;
  }
}
