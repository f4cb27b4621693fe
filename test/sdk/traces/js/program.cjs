const { page, work } = require('./tracing.cjs');
const { TableClient } = require('@azure/data-tables');

page(() => work(TableClient));
