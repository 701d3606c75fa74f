import Glibc
import HoldfastHTTPServer
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

/// `openapi.yaml` and the routes name the same operations.
@Suite struct OpenAPIContractTests {
    /// One operation, as either side names it.
    struct DocumentedOperation: Hashable, CustomStringConvertible {
        let method: String
        let path: String
        let id: String

        var description: String { "\(id): \(method) \(path)" }
    }

    @Test("the contract and the routes have the same operations")
    func sameOperations() throws {
        let documented = try Self.documentedOperations()
        let routed = Self.routedOperations()
        #expect(documented.count > 20)
        #expect(Set(documented).subtracting(routed) == [], "documented, but not routed")
        #expect(Set(routed).subtracting(documented) == [], "routed, but not documented")
        #expect(documented.count == routed.count, "one of them twice")
    }

    @Test("every operation has the parameters and problems of the contract")
    func sameParametersAndProblems() throws {
        let documented = try Self.documentedDetails()
        for operation in Operation.all {
            let (parameters, problems) = try #require(documented[operation.id])
            #expect(Set(operation.parameters.map(\.component)) == parameters, "\(operation.id)")
            #expect(Set(operation.problems.map(\.rawValue)) == problems, "\(operation.id)")
        }
    }

    @Test("every limit that refuses something has a code of the contract, and a default there")
    func limits() throws {
        let text = try Self.lines(of: Self.root + "/openapi.yaml").joined(separator: "\n")
        for limit in Limit.all {
            let hasCode = limit.code.map { text.contains($0) } ?? true
            #expect(hasCode, "\(limit.option): \(limit.code ?? "")")
            let value = ServiceOptions()[keyPath: limit.path]
            let hasDefault = text.contains("                      \(limit.name): \(value)\n")
            #expect(hasDefault, "\(limit.name)")
        }
    }

    @Test("every operation with a handler of its own has a function, named by its id")
    func functionsOfOperations() throws {
        let sources = try Self.texts(of: Self.root + "/Sources/RESTAPI/*/*.swift")
        // By either form of a key, on elements wherever they stand, and on the objects of a class or a projection,
        // one handler answers.
        let sharing = Operation.all.filter {
            $0.id.hasSuffix("Object") || $0.id.hasSuffix("ByKey") || $0.id.hasSuffix("Element")
                || $0.path.hasPrefix(ContainerKind.projection.path + "/")
        }.map(\.id)
        for operation in Operation.all where !sharing.contains(operation.id) {
            #expect(
                sources.contains { $0.contains("func \(operation.id)(") },
                "\(operation.id) has no function")
        }
    }

    /// The texts of the files that a pattern of paths matches.
    private static func texts(of pattern: String) throws -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        try #require(glob(pattern, 0, nil, &found) == 0, "\(pattern) matches no file")
        return try (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0] }.map {
            try lines(of: String(cString: $0)).joined(separator: "\n")
        }
    }

    static var root: String {
        // …/Tests/RESTAPITests/OpenAPIContractTests.swift
        String(#filePath).split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/")
    }

    private static func routedOperations() -> [DocumentedOperation] {
        Operation.all.map { operation in
            // A document has no parameter of several segments.
            let path = operation.path.replacing("*}", with: "}")
            return DocumentedOperation(
                method: "\(operation.method.name)", path: path, id: operation.id)
        }
    }

    /// Reads the operations of the document by its indentation, which the checks of the document hold
    /// it to: paths by two blanks, methods by four, ids by six.
    private static func documentedOperations() throws -> [DocumentedOperation] {
        let methods = ["get", "put", "post", "delete", "patch", "head", "options", "trace"]
        var operations: [DocumentedOperation] = []
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
                    DocumentedOperation(method: method, path: path, id: String(line.dropFirst(19))))
            }
        }
        return operations
    }

    /// The parameters and the problems of each operation of the document, by its id.
    private static func documentedDetails() throws -> [String: (Set<String>, Set<UInt16>)] {
        let reference = "        - $ref: '#/components/parameters/"
        var details: [String: (Set<String>, Set<UInt16>)] = [:]
        var ofPath: Set<String> = []
        var id: String?
        for line in try lines(of: root + "/openapi.yaml") {
            if line.hasPrefix("components:") { break }
            if line.hasPrefix("  /") {
                ofPath = []
                id = nil
            } else if line.hasPrefix("      operationId: ") {
                let name = String(line.dropFirst(19))
                id = name
                // The path's own parameters stand before its operations.
                details[name] = (ofPath.intersection(["Key"]), [])
            } else if line.hasPrefix(reference.dropFirst(2)) {
                ofPath.insert(String(line.dropFirst(reference.count - 2).dropLast()))
            } else if let id, line.hasPrefix(reference) {
                details[id]?.0.insert(String(line.dropFirst(reference.count).dropLast()))
            } else if let id, line.hasPrefix("        '"),
                let status = UInt16(line.dropFirst(9).prefix(3)), status >= 400
            {
                details[id]?.1.insert(status)
            }
        }
        return details
    }

    static func lines(of file: String) throws -> [Substring] {
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
