import Glibc
import HoldfastObjectStore
import HoldfastStoreService
import Testing
import HoldfastTestSupport

@testable import HoldfastRESTAPI

@Suite("Backups over HTTP")
struct BackupRequestTests {
    private let directory = TemporaryDirectory()

    private func server(_ engine: EngineCase = .lmdb) throws -> TestServer {
        var options = RESTOptions()
        options.limits.backupDirectory = directory.path + "/backups"
        return try TestServer(engine, schema: Importing.nodes, options: options)
    }

    /// A member of an object in JSON whose value is a string.
    private func text(_ name: String, in json: String) throws -> String {
        let start = try #require(json.firstRange(of: "\"\(name)\":\"")).upperBound
        return String(json[start...].prefix { $0 != "\"" })
    }

    @Test("are made, listed, downloaded, restored and deleted", arguments: EngineCase.all)
    func life(engine: EngineCase) throws {
        let server = try server(engine)
        APIScenario("GET", "/v1/backups", status: 200, contains: [#"{"backups":[]}"#]).check(
            on: server)
        let lines = (0..<5000).map { #"{"id":\#($0),"next":\#(($0 + 1) % 5000)}"# }
        _ = try Importing.report(lines.joined(separator: "\n"), into: server.store)
        let version = server.store.version
        let made = APIScenario(
            "POST", "/v1/backups", status: 201, contains: [#""version":"\#(version)""#],
            fields: ["location": ""]
        ).check(on: server)
        let location = try #require(made.headers["location"])
        #expect(location == "/v1/backups/" + (try text("name", in: made.text)))
        // What comes later is not in it.
        server.send("DELETE", "/v1/classes/Node/objects/7")
        #expect(server.send("GET", "/v1/backups").text == #"{"backups":[\#(made.text)]}"#)
        let bytes = APIScenario(
            "GET", location, status: 200,
            fields: ["content-type": "application/octet-stream", "content-disposition": ""]
        ).check(on: server).body
        #expect(made.text.contains("\"bytes\":\(bytes.count)}"))

        let target = try EngineCase.memory.open(valueByteCountMax: 64 << 20)
        var offset = 0
        let reader = try BackupReader { buffer in
            let count = min(buffer.count, bytes.count - offset)
            buffer.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
        try reader.restore(into: target)
        let restored = try Store(engine: target)
        defer { restored.close() }
        #expect(restored.version.number == version.number && restored.epoch != version.epoch)
        #expect(try Importing.export(restored).count == 5000)
        try Importing.expectSound(restored)

        APIScenario("DELETE", location, status: 204).check(on: server)
        APIScenario("DELETE", location, status: 404, contains: ["backup-not-found"]).check(
            on: server)
        APIScenario("GET", location, status: 404, contains: ["backup-not-found"]).check(on: server)
        APIScenario("GET", "/v1/backups", status: 200, contains: [#"{"backups":[]}"#]).check(
            on: server)
    }

    @Test("have names that lead nowhere else")
    func names() throws {
        let server = try server()
        server.send("POST", "/v1/backups")
        for name in [
            "..%2Ftokens", "%2e%2e%2fsecret.holdfast", ".", "x.holdfast", ".holdfast",
            "20261120T145137Z-0k3v9x7q-1044.holdfast",
            "20261120T145137Z-0k3v9x7q-1.holdfast.partial",
        ] {
            APIScenario("GET", "/v1/backups/\(name)", status: 404).check(on: server)
        }
        #expect(BackupFolder.version("20261120T145137Z-0k3v9x7q-1044.holdfast")?.number == 1044)
        #expect(BackupFolder.version("../20261120T145137Z-0k3v9x7q-1044.holdfast") == nil)
    }

    @Test("are refused without a directory for them, and with parameters that mean nothing")
    func refusals() throws {
        let server = try TestServer(schema: Importing.nodes)
        APIScenario("POST", "/v1/backups", status: 409, contains: ["no-backups"]).check(on: server)
        APIScenario("GET", "/v1/backups", status: 409, contains: ["no-backups"]).check(on: server)
        APIScenario("POST", "/v1/backups?now=1", status: 400).check(on: server)
    }

    @Test("that have no room answer 507 and leave nothing behind")
    func mediumFull() throws {
        // Every write to this device finds it full.
        let server = try server()
        var options = RESTOptions()
        options.limits.backupDirectory = "/dev/full"
        let other = try TestServer(schema: Importing.nodes, options: options)
        APIScenario("POST", "/v1/backups", status: 500, contains: ["backup-failed"]).check(
            on: other)
        let small = directory.path + "/backups"
        mkdir(small, 0o700)
        guard mount("tmpfs", small, "tmpfs", 0, "size=262144") == 0 else { return }
        defer { umount(small) }
        let label = String(repeating: "x", count: 1000)
        let lines = (0..<2000).map { #"{"id":\#($0),"label":"\#(label)"}"# }
        _ = try Importing.report(lines.joined(separator: "\n"), into: server.store)
        APIScenario("POST", "/v1/backups", status: 507, contains: ["storage-full"]).check(
            on: server)
        APIScenario("GET", "/v1/backups", status: 200, contains: [#"{"backups":[]}"#]).check(
            on: server)
        var status = statvfs()
        #expect(statvfs(small, &status) == 0 && status.f_bfree == status.f_blocks)
        APIScenario("PUT", "/v1/classes/Node/objects/1", "{}", status: 200).check(on: server)
    }
}
