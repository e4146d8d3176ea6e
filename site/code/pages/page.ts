// What every page loads: it marks the document as live, which shows the parts that need this code.
document.documentElement.classList.add("live");
