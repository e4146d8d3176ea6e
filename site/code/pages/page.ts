// What every page loads: it marks the document as live, which shows the parts that need this code.
import { bind as bindSearch } from "../search/open";
import { bind as bindTables } from "../tables/find";

document.documentElement.classList.add("live");
bindSearch();
bindTables();
