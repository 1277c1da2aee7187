// Reads recordings with @mcap/core through their index, decodes every message with the schema stored in the file, and
// compares with what our own reader found, which lies beside each recording as JSON.
import assert from "node:assert/strict";
import {open, readFile} from "node:fs/promises";

import {parse} from "@foxglove/rosmsg";
import {MessageReader} from "@foxglove/rosmsg-serialization";
import lz4 from "@foxglove/wasm-lz4";
import zstd from "@foxglove/wasm-zstd";
import {McapIndexedReader} from "@mcap/core";

class FileReadable {
  constructor(file) { this.file = file; }
  async size() { return BigInt((await this.file.stat()).size); }
  async read(offset, length) {
    const buffer = new Uint8Array(Number(length));
    const {bytesRead} = await this.file.read(buffer, 0, Number(length), Number(offset));
    assert.equal(bytesRead, Number(length), "the file ends early");
    return buffer;
  }
}

await lz4.isLoaded;
await zstd.isLoaded;
const decompressHandlers = {
  lz4: (bytes, size) => lz4(bytes, Number(size)),
  zstd: (bytes, size) => zstd.decompress(bytes, Number(size)),
};

async function read(path) {
  const file = await open(path);
  const reader = await McapIndexedReader.Initialize({readable: new FileReadable(file), decompressHandlers});
  const topics = {};
  const decoders = new Map();
  for (const channel of reader.channelsById.values()) {
    const schema = reader.schemasById.get(channel.schemaId);
    assert.equal(schema.encoding, "ros1msg");
    assert.equal(channel.messageEncoding, "ros1");
    decoders.set(channel.id, new MessageReader(parse(new TextDecoder().decode(schema.data))));
    topics[channel.topic] = {schema: schema.name, messages: 0, bytes: 0, first_ns: null, last_ns: null};
  }
  let last = 0n, transforms = 0, sum_x = 0, event = null, markers = 0;
  for await (const message of reader.readMessages()) {
    const topic = reader.channelsById.get(message.channelId).topic, entry = topics[topic];
    entry.messages += 1;
    entry.bytes += message.data.byteLength;
    entry.first_ns ??= Number(message.logTime);
    entry.last_ns = Number(message.logTime);
    assert.ok(message.logTime >= last, "messages are in the order of time");
    last = message.logTime;
    const decoded = decoders.get(message.channelId).readMessage(message.data);
    if (topic === "/tf") {
      transforms += decoded.transforms.length;
      sum_x += decoded.transforms.reduce((sum, t) => sum + t.transform.translation.x, 0);
      assert.equal(decoded.transforms[0].header.frame_id, "map");
    }
    if (topic === "/events") event = {name: decoded.name, entity: decoded.entity, text: decoded.text};
    if (topic === "/bodies") markers += decoded.markers.length;
  }
  const metadata = {};
  for await (const record of reader.readMetadata()) metadata[record.name] = Object.fromEntries(record.metadata);
  const attachments = {};
  for await (const record of reader.readAttachments()) attachments[record.name] = new TextDecoder().decode(record.data);
  await file.close();
  return {
    profile: reader.header.profile,
    messages: Number(reader.statistics.messageCount),
    chunks: reader.chunkIndexes.length,
    compression: [...new Set(reader.chunkIndexes.map(chunk => chunk.compression))],
    topics, transforms, sum_x, event, markers, metadata, attachments,
  };
}

for (const path of process.argv.slice(2)) {
  const found = await read(path);
  const expected = JSON.parse(await readFile(path.replace(/mcap$/, "json"), "utf8"));
  assert.deepEqual(found, expected);
  console.log(`${path}: ${found.messages} messages on ${Object.keys(found.topics).length} topics in ${found.chunks} chunks (${found.compression || "not compressed"}), as expected`);
}
