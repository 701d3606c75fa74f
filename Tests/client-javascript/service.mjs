/** A running service on a free port of 127.0.0.1, and a proxy that fails on request. */
import {spawn} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import http from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const BINARY = process.env.HOLDFAST_BINARY;

export class Service {
  #options;
  #folder;
  #process;
  #log = '';
  #port = 0;

  /** Starts a service on an empty store. */
  static async start(...options) {
    const service = new Service();
    service.#options = options;
    service.#folder = await mkdtemp(join(tmpdir(), 'holdfast-client-'));
    await service.#start();
    return service;
  }

  async #start() {
    const options = ['serve', '--data', join(this.#folder, 'data'), '--listen', `127.0.0.1:${this.#port}`, ...this.#options];
    this.#process = spawn(BINARY, options, {stdio: ['ignore', 'pipe', 'pipe']});
    this.#process.stderr.on('data', text => { this.#log += text; });
    this.url = await new Promise((resolve, reject) => {
      let output = '';
      this.#process.on('error', reject);
      this.#process.on('exit', status => reject(new Error(`${BINARY} ended with status ${status}:\n${this.#log}`)));
      this.#process.stdout.on('data', text => {
        output += text;
        const found = / at (http:\/\/[0-9.]+:(\d+))/.exec(output);
        if (!found) return;
        this.#port = Number(found[2]);
        resolve(found[1]);
      });
    });
  }

  async #end(signal) {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = new Promise(resolve => this.#process.once('exit', resolve));
    this.#process.kill(signal);
    await ended;
  }

  /** Ends the service by a signal, and starts it again on its store and port. `during` runs in between. */
  async restart(signal, during = async () => {}) {
    await this.#end(signal);
    await during();
    await this.#start();
  }

  async stop() {
    await this.#end('SIGTERM');
    await rm(this.#folder, {recursive: true, force: true});
  }

  /** A request of an operator, which has to succeed. */
  async set(method, path, body, token) {
    const headers = {'Content-Type': 'application/json', ...(token && {Authorization: `Bearer ${token}`})};
    const reply = await fetch(this.url + path, {method, headers, body: JSON.stringify(body)});
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }
}

/** Passes requests on to a service, until it is asked to fail. */
export class Proxy {
  /** The paths of the requests that came, with their methods. */
  requests = [];
  /** The status with which requests are refused; null to pass them on. */
  refusal = null;
  /** Pages that it serves by itself: each path with a type and a text. */
  pages = {};
  #sockets = new Set();
  #streams = new Set();

  static async start(service) {
    const proxy = new Proxy();
    proxy.server = http.createServer((request, response) => proxy.#pass(service, request, response));
    proxy.server.on('connection', socket => {
      proxy.#sockets.add(socket);
      socket.on('close', () => proxy.#sockets.delete(socket));
    });
    await new Promise(resolve => proxy.server.listen(0, '127.0.0.1', resolve));
    proxy.url = `http://127.0.0.1:${proxy.server.address().port}`;
    return proxy;
  }

  #pass(service, request, response) {
    this.requests.push(`${request.method} ${request.url.split('?')[0]}`);
    const page = this.pages[request.url.split('?')[0]];
    if (page) {
      response.writeHead(200, {'Content-Type': page[0]});
      response.end(page[1]);
      return;
    }
    if (this.refusal) {
      response.writeHead(this.refusal, {'Content-Type': 'text/html', 'Retry-After': '0'});
      response.end('<h1>No service</h1>');
      return;
    }
    const {hostname, port} = new URL(service.url);
    const {host, ...headers} = request.headers;
    let stream = null;
    const onward = http.request({hostname, port, path: request.url, method: request.method, headers, agent: false}, reply => {
      response.writeHead(reply.statusCode, reply.headers);
      if (!reply.headers['content-type']?.startsWith('text/event-stream')) return reply.pipe(response);
      stream = {isSilent: false, onward};
      this.#streams.add(stream);
      reply.on('data', bytes => { if (!stream.isSilent) response.write(bytes); });
      reply.on('close', () => {
        this.#streams.delete(stream);
        if (!stream.isSilent) response.destroy();
      });
    });
    onward.on('error', () => response.destroy());
    // The service does not notice that the client of a silent stream has gone.
    response.on('close', () => { if (!stream?.isSilent) onward.destroy(); });
    request.pipe(onward);
  }

  /** The number of event streams that are open. */
  get streamCount() { return this.#streams.size; }

  /** Cuts all connections. */
  cut() { for (const socket of this.#sockets) socket.destroy(); }

  /** Passes nothing more on of the streams that are open, and leaves them open. */
  silence() { for (const stream of this.#streams) stream.isSilent = true; }

  stop() {
    this.cut();
    for (const {onward} of this.#streams) onward.destroy();
    this.server.close();
  }
}
