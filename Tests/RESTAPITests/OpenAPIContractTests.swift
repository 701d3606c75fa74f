import Glibc
import HTTPServer
import ObjectStore
import TestSupport
import Testing

@testable import ObjectJSON
@testable import RESTAPI

/// `openapi.yaml` and the routes name the same operations.
@Suite struct OpenAPIContractTests {
    /// One operation, as either side names it.
    struct Operation: Hashable, CustomStringConvertible {
        let method: String
        let path: String
        let id: String

        var description: String { "\(id): \(method) \(path)" }
    }

    @Test("the contract and the routes have the same operations, in the same order")
    func sameOperations() throws {
        let documented = try Self.documentedOperations()
        let routed = try Self.routedOperations()
        #expect(documented.count > 20)
        #expect(Set(documented).subtracting(routed) == [], "documented, but not routed")
        #expect(Set(routed).subtracting(documented) == [], "routed, but not documented")
        #expect(documented == routed)
    }

    @Test("every operation of the contract states which right it needs")
    func statedRights() throws {
        let known = Set(Right.operations.keys)
        for operation in try Self.documentedOperations() {
            #expect(known.contains(operation.id), "\(operation) needs a right by oversight")
        }
    }

    @Test("every operation has a file of its own, named by its id")
    func filesOfOperations() throws {
        let folders = [
            "Access", "Aggregating", "Backups", "Bulk", "Changes", "Elements", "Objects", "OpenAPI",
            "Outbox", "Projections", "Querying", "Schema", "Sectioning", "System", "Transactions",
            "Transfer",
        ]
        for operation in try Self.routedOperations() {
            let found = folders.contains { folder in
                access("\(Self.root)/Sources/RESTAPI/\(folder)/\(operation.id).swift", R_OK) == 0
            }
            #expect(found, "\(operation) has no file")
        }
    }

    private static var root: String {
        // …/Tests/RESTAPITests/OpenAPIContractTests.swift
        String(#filePath).split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/")
    }

    private static func routedOperations() throws -> [Operation] {
        let store = try Store(engine: EngineCase.memory.open())
        defer { store.close() }
        let service = RESTService(
            store: store, options: RESTOptions(), tokens: nil, logger: Logger())
        defer { service.stop() }
        return service.routes().map { route in
            // A document has no parameter of several segments.
            let path = route.pattern.replacing("*}", with: "}")
            return Operation(method: "\(route.method.name)", path: path, id: route.operationID)
        }
    }

    /// Reads the operations of the document by its indentation, which the checks of the document hold
    /// it to: paths by two blanks, methods by four, ids by six.
    private static func documentedOperations() throws -> [Operation] {
        let methods = ["get", "put", "post", "delete", "patch", "head", "options", "trace"]
        var operations: [Operation] = []
        var isInPaths = false
        var path = ""
        var method = ""
        for line in try lines(of: root + "/openapi.yaml") {
            if !line.hasPrefix(" ") {
                if !line.isEmpty { isInPaths = line == "paths:" }
            } else if isInPaths, line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
            } else if isInPaths, line.hasPrefix("    "), line.hasSuffix(":"),
                methods.contains(String(line.dropFirst(4).dropLast()))
            {
                method = line.dropFirst(4).dropLast().uppercased()
            } else if isInPaths, line.hasPrefix("      operationId: ") {
                operations.append(
                    Operation(method: method, path: path, id: String(line.dropFirst(19))))
            }
        }
        return operations
    }

    private static func lines(of file: String) throws -> [Substring] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0, "\(file) can't be read")
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }
}
