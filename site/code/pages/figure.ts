// The page of a derivation.
export {};
