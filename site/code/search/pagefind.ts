// The part of Pagefind's interface that the search uses.

export interface Part {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
  readonly locations: readonly number[];
}

export interface Hit {
  readonly url: string;
  readonly excerpt: string;
  readonly meta: Readonly<Record<string, string>>;
  readonly sub_results: readonly Part[];
}

export interface Result {
  readonly id: string;
  readonly data: () => Promise<Hit>;
}

export interface Pagefind {
  readonly options: (options: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly init: () => Promise<void>;
  readonly search: (term: string) => Promise<{ readonly results: readonly Result[] }>;
}

let loaded: Promise<Pagefind> | undefined;

/** The index of the site, from its folder; loaded once. */
export function pagefind(folder: URL, root: URL): Promise<Pagefind> {
  loaded ??= (async () => {
    const module = (await import(new URL("pagefind.js", folder).href)) as Pagefind;
    await module.options({
      basePath: folder.pathname,
      baseUrl: root.pathname,
      excerptLength: 24,
      noWorker: true, // one file less to load, and a query takes a few milliseconds
      ranking: {
        // Names and ids first, then pages in which the words stand close together in what they say of themselves.
        metaWeights: { names: 40, title: 10, kind: 0.2, image: 0, image_alt: 0 },
        termFrequency: 0.6,
        pageLength: 0.5,
      },
    });
    await module.init();
    return module;
  })().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}
