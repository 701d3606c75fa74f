import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

/// Reads Prometheus' text format 0.0.4 and objects to everything that the format does not allow.
private struct MetricsReader {
    struct Family {
        var kind: String
        var samples: [(name: String, labels: [String: String], value: Double)] = []
    }

    var families: [String: Family] = [:]

    init(_ text: String) throws {
        try #require(text.hasSuffix("\n"))
        var current = ""
        var help: Set<String> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("# HELP ") {
                let name = String(try #require(line.split(separator: " ").dropFirst(2).first))
                try #require(help.insert(name).inserted, "two families named \(name)")
            } else if line.hasPrefix("# TYPE ") {
                let parts = line.split(separator: " ")
                try #require(
                    parts.count == 4 && ["counter", "gauge", "histogram"].contains(parts[3]))
                current = String(parts[2])
                try #require(help.contains(current) && families[current] == nil)
                families[current] = Family(kind: String(parts[3]))
            } else {
                let sample = try Self.sample(line)
                let family = try #require(families[current])
                let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                try #require(suffixes.contains { sample.name == current + $0 }, "\(line)")
                families[current]?.samples.append(sample)
            }
        }
    }

    private static func sample(
        _ line: Substring
    ) throws -> (name: String, labels: [String: String], value: Double) {
        let blank = try #require(line.lastIndex(of: " "), "\(line)")
        let value = try #require(
            line[line.index(after: blank)...] == "+Inf"
                ? Double.infinity : Double(line[line.index(after: blank)...]), "\(line)")
        var head = line[..<blank]
        var labels: [String: String] = [:]
        if let brace = head.firstIndex(of: "{") {
            try #require(head.last == "}", "\(line)")
            var rest = head[head.index(after: brace)...].dropLast()
            while !rest.isEmpty {
                let equals = try #require(rest.firstIndex(of: "="))
                let name = String(rest[..<equals])
                rest = rest[rest.index(after: equals)...]
                let quote = rest.popFirst()
                try #require(quote == "\"")
                var text = ""
                while let character = rest.popFirst(), character != "\"" {
                    if character == "\\" {
                        let next = rest.popFirst()
                        let escaped = try #require(next)
                        text.append(escaped == "n" ? "\n" : escaped)
                    } else {
                        text.append(character)
                    }
                }
                labels[name] = text
                if rest.first == "," {
                    rest.removeFirst()
                } else {
                    try #require(rest.isEmpty, "\(line)")
                }
            }
            head = head[..<brace]
        }
        let isName = head.utf8.allSatisfy { byte in
            byte == 95 || (48...57).contains(byte) || (97...122).contains(byte)
        }
        try #require(isName, "\(line)")
        return (String(head), labels, value)
    }
}

@Suite("The system's operations")
struct SystemTests {
    @Test("tell what runs, with every limit under the name of its option")
    func service() throws {
        let server = try GuardedServer(withTokens: false)
        let reply = server.send("GET", "/v1")
        #expect(reply.status == 200)
        for text in [
            "\"name\":\"holdfast\"", "\"version\":\"\(ServiceVersion.text)\"",
            "\"engine\":\"memory\"",
            "\"body\":33554432", "\"jsonDepth\":128", "\"page\":1000", "\"transaction\":100000",
            "\"capabilities\":[",
        ] {
            #expect(reply.text.contains(text), "\(text)")
        }
        #expect(server.send("GET", "/v1?x=1").status == 400)
    }

    @Test("tell health")
    func health() throws {
        let server = try GuardedServer(withTokens: true)
        #expect(server.send("GET", "/health/live").status == 200)
        #expect(server.send("GET", "/health/ready").status == 200)
        #expect(server.send("HEAD", "/health/ready").status == 200)
        #expect(server.send("POST", "/health/ready").status == 405)
    }

    @Test(
        "the address alone tells where to go on, and each link leads there",
        arguments: ["/", "/v1/"])
    func links(path: String) throws {
        let server = try TestServer(schema: Schemas.everything)
        let reply = server.send("GET", path)
        #expect(reply.status == 200)
        for link in [
            "/v1", "/v1/openapi.json", "/v1/schema", "/v1/changes", "/metrics", "/health/live",
            "/health/ready",
        ] {
            #expect(reply.text.contains("\"\(link)\""), "\(reply.text)")
            #expect(server.send("GET", link).status == 200)
        }
        APIScenario("GET", path + "?a=b", status: 400, contains: ["unknown-parameter"]).check(
            on: server)
    }

    @Test("give figures that Prometheus reads")
    func metrics() throws {
        let server = try GuardedServer(withTokens: false)
        for id in 0..<5 {
            let reply = server.send(
                "PUT", "/v1/classes/Node/objects/\(id)", [("Content-Type", "application/json")],
                body: "{}")
            #expect(reply.status == 201)
        }
        #expect(server.send("GET", "/v1/classes/Node/objects/99").status == 404)
        let reply = server.send("GET", "/metrics")
        #expect(reply.status == 200)
        #expect(reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let metrics = try MetricsReader(reply.text)
        func value(_ family: String, _ labels: [String: String] = [:]) -> Double? {
            metrics.families[family]?.samples.first { $0.labels == labels }?.value
        }
        #expect(value("holdfast_objects", ["class": "Node"]) == 5)
        #expect(
            value("holdfast_http_requests_total", ["operation": "putObject", "status": "2xx"])
                == 5.0)
        #expect(
            value("holdfast_http_requests_total", ["operation": "getObject", "status": "4xx"]) == 1)
        #expect(value("holdfast_transactions_total") == 5)
        #expect(value("holdfast_waiting_writes") == 0)
        #expect(value("holdfast_jobs_waiting") == 0)
        #expect(value("holdfast_jobs_long") == 0)
        #expect(value("holdfast_store_version") == 6)
        #expect((value("process_open_fds") ?? 0) > 3)
        #expect((value("process_resident_memory_bytes") ?? 0) > 1_000_000)
        #expect((value("process_start_time_seconds") ?? 0) > 1_500_000_000)
        let durations = try #require(metrics.families["holdfast_http_request_duration_seconds"])
            .samples
            .filter { $0.labels["operation"] == "putObject" }
        let buckets = durations.filter { $0.name.hasSuffix("_bucket") }.map(\.value)
        #expect(buckets == buckets.sorted())
        #expect(buckets.last == 5.0)
        #expect(durations.last { $0.name.hasSuffix("_count") }?.value == 5.0)
    }
}
