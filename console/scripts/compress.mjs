// Puts a gzip copy beside every built file that becomes smaller by it. The server sends it to whoever takes it.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const text = /\.(js|css|html|svg|json|txt|webmanifest)$/;
/** Below this a second copy is not worth its place. */
const SMALLEST = 1024;

function walk(folder) {
    return readdirSync(folder).flatMap(name => {
        const path = join(folder, name);
        return statSync(path).isDirectory() ? walk(path) : [path];
    });
}

for (const path of walk('dist').filter(path => text.test(path))) {
    const plain = readFileSync(path);
    const packed = gzipSync(plain, { level: 9 });
    if (plain.length >= SMALLEST && packed.length < plain.length * 0.9) writeFileSync(`${path}.gz`, packed);
}
