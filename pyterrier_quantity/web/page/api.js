"use strict";

function row(one) {
  const needed = one.required ? "needed" : `else ${JSON.stringify(one.schema.default)}`;
  return element("tr", "", element("th", "", element("code", "", one.name)), element("td", "", one.schema.type), element("td", "", needed),
    element("td", "", one.description));
}

async function begin() {
  const { paths } = await ask("openapi.json");
  for (const [path, { get }] of Object.entries(paths)) {
    const table = element("table", "", ...get.parameters.map(row));
    at("paths").append(element("h2", "", element("code", "", `GET ${path}`)), element("p", "", get.summary), table);
  }
}

begin();
