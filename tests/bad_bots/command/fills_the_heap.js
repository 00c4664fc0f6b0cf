// Fills the heap of V8. Expected: memory; blame: bot.
module.exports = () => {
  const taken = [];
  for (;;) taken.push(Array.from({ length: 1 << 16 }, (_, place) => ({ place })));
};
