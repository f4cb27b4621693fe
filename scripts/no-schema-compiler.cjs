// Replaces the schema compilers that Fastify would require for a server that names none (bundle.mjs).

module.exports = () => {
  throw new Error('this bundle has no schema compilers of Fastify: name them');
};
