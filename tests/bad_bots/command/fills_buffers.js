// Takes memory outside the heap of V8. Expected: memory; blame: bot.
module.exports = () => {
  const taken = [];
  for (;;) taken.push(Buffer.alloc(1 << 22, 1));
};
