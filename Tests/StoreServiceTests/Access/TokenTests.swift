import Glibc
import TestSupport
import Testing

@testable import StoreService

@Suite("Tokens")
struct TokenTests {
    private let directory = TemporaryDirectory()
    private var file: TokenFile { TokenFile(directory: directory.path) }

    private func hash(_ text: String) throws -> TokenHash {
        try #require(Array(text.utf8).withUnsafeBytes { TokenHash(of: $0) })
    }

    @Test("are hashed by SHA-256")
    func sha256() throws {
        // FIPS 180-2, appendix B.1.
        #expect(
            try hash("abc").hexadecimal
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            try hash("").hexadecimal
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let (one, same, other) = (try hash("abc"), try hash("abc"), try hash("abd"))
        #expect(one.isEqual(same))
        #expect(!one.isEqual(other))
    }

    @Test("are made, found and ended")
    func life() throws {
        #expect(try file.read() == nil)
        let one = try file.create(name: "one", right: .read)
        let two = try file.create(name: "two", right: .admin)
        #expect(one != two)
        #expect(one.hasPrefix("hf_") && one.utf8.count == 46)
        let text = String(
            decoding: try #require(TemporaryDirectory.contents(file.path)), as: UTF8.self)
        #expect(!text.contains(one) && !text.contains(one.dropFirst(3)))
        #expect(text.contains("one read \(try hash(one).hexadecimal) "))
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)

        let table = try TokenTable<FreeGrant>(file) { _ in }
        func right(_ token: String) -> Right? {
            Array(token.utf8).withUnsafeBytes { table.access(of: $0)?.right }
        }
        #expect(table.isEnforced && !table.isEmpty)
        #expect(right(one) == .read)
        #expect(right(two) == .admin)
        #expect(right(one + "x") == nil)
        #expect(right("") == nil)

        #expect(throws: TokenFile.Failure.self) { try file.create(name: "one", right: .write) }
        #expect(throws: TokenFile.Failure.self) { try file.create(name: "a b", right: .write) }
        let isRevoked = (try file.revoke(name: "one"), try file.revoke(name: "one"))
        #expect(isRevoked == (true, false))
        _ = try file.revoke(name: "two")
        let left = try file.read()
        #expect(left?.isEmpty == true)
        // The table looks again when a second has passed.
        let limit = time(nil) + 10
        while right(one) != nil, time(nil) < limit {
            _ = table.isEnforced
            usleep(50_000)
        }
        #expect(right(one) == nil && right(two) == nil)
        unlink(file.path)
        usleep(1_200_000)
        #expect(table.isEnforced, "a file that is deleted does not open the store")
    }

    @Test(
        "stand in a file with comments; a faulty line is named",
        arguments: [
            ("# nothing\n\n", nil), ("a read HASH 2026-01-01T00:00:00Z # mine\r\n", nil),
            ("a read HASH\n", 1), ("\na owner HASH x\n", 2), ("a read 00 x\n", 1),
            ("a read HASH x\nb write HASH x\na read HASH x\n", 3),
        ] as [(String, Int?)])
    func format(text: String, faultyLine: Int?) throws {
        let digits = String(repeating: "0f", count: 32)
        var filled = ""
        var rest = Substring(text)
        while let range = rest.firstRange(of: "HASH") {
            filled += rest[..<range.lowerBound] + digits
            rest = rest[range.upperBound...]
        }
        filled += rest
        TemporaryDirectory.write(Array(filled.utf8), to: file.path)
        guard let faultyLine else {
            #expect(try file.read() != nil)
            return
        }
        let failure = #expect(throws: TokenFile.Failure.self) { try file.read() }
        #expect(failure?.description.contains("line \(faultyLine):") == true)
    }

    @Test("leave an operator's comments where they are")
    func comments() throws {
        _ = try file.create(name: "one", right: .read)
        let first = try #require(TemporaryDirectory.contents(file.path))
        TemporaryDirectory.write(first + Array("# of the night shift".utf8), to: file.path)
        _ = try file.create(name: "two", right: .write)
        _ = try file.revoke(name: "one")
        let text = String(
            decoding: try #require(TemporaryDirectory.contents(file.path)), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1] == "# of the night shift" && lines[2].hasPrefix("two write "))
        let left = try file.read()
        #expect(left?.map(\.name) == ["two"])
    }

    @Test("a right includes those before it")
    func rights() { #expect(Right.read < .write && .write < Right.admin) }

    /// A grant that nobody asks.
    private final class FreeGrant: AccessGrant {
        init(isForReading: Bool) {}
        func end(_ reason: AccessEnd) {}
    }
}
