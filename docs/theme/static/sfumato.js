// What scrolls can be reached with keys, and has a name.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".highlight pre, .table-wrapper")) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0
      box.setAttribute("role", "region")
      box.setAttribute("aria-label", box.matches("pre") ? "Code" : "Table")
    }
  }
})
