import Glibc
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

@Suite("Tokens")
struct TokenTests {
    private let directory = TemporaryDirectory()

    private func hash(_ text: String) throws -> TokenHash {
        try #require(Array(text.utf8).withUnsafeBytes { TokenHash(of: $0) })
    }

    private func store(_ engine: EngineCase = .memory) throws -> Store {
        try Store(engine: try engine.open())
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

    @Test("are made, found and ended", arguments: EngineCase.all)
    func life(engine: EngineCase) throws {
        let store = try store(engine)
        defer { store.close() }
        let version = store.version
        let table = try TokenTable<FreeGrant>(StoredTokens(store))
        #expect(!table.isEnforced && table.isEmpty)
        let (one, two) = (try TokenSecret(), try TokenSecret())
        #expect(one.text != two.text)
        #expect(one.text.hasPrefix("hf_") && one.text.utf8.count == 46)
        func right(_ token: String) -> Right? {
            Array(token.utf8).withUnsafeBytes { table.access(of: $0)?.right }
        }
        let made = try table.change { stored throws(RequestFault) in
            (
                try stored.add("one", .read, one.hash), try stored.add("two", .admin, two.hash),
                // The very token that is there already.
                try stored.add("one", .read, one.hash)
            )
        }
        #expect(made.0 == made.2 && made.0.number != made.1.number)
        #expect(table.isEnforced && !table.isEmpty)
        #expect(right(one.text) == .read && right(two.text) == .admin)
        #expect(right(one.text + "x") == nil && right("") == nil)
        #expect(table.access(ofNumber: made.0.number)?.right == .read)
        #expect(table.access(ofNumber: 0) == nil)
        for (name, hash) in [("one", two.hash), ("three", one.hash), ("a b", one.hash)] {
            #expect(throws: RequestFault.self) {
                try table.change { stored throws(RequestFault) in
                    try stored.add(name, .write, hash)
                }
            }
        }
        let names = try StoredTokens(store).read().tokens.map(\.name)
        #expect(names == ["one", "two"])
        try table.change { stored throws(RequestFault) in try stored.revoke("one") }
        #expect(throws: RequestFault.self) { try StoredTokens(store).revoke("one") }
        try table.change { stored throws(RequestFault) in try stored.revoke("two") }
        #expect(right(one.text) == nil && right(two.text) == nil)
        #expect(table.isEnforced && table.isEmpty, "the last one that ends opens nothing")
        #expect(try StoreCheck.run(store).findings == [])
        try table.change { stored throws(RequestFault) in try stored.removeAll() }
        #expect(!table.isEnforced)
        #expect(store.version == version, "no stream tells of tokens")
    }

    @Test(
        "in a file of earlier versions are read with comments; a faulty line is named",
        arguments: [
            ("# nothing\n\n", nil), ("a read HASH 2026-01-01T00:00:00Z # mine\r\n", nil),
            ("a read HASH\n", 1), ("\na owner HASH x\n", 2), ("a read 00 x\n", 1),
            ("a read HASH x\nb write HASH x\na read HASH x\n", 3),
        ] as [(String, Int?)])
    func format(text: String, faultyLine: Int?) throws {
        let filled = text.replacing("HASH", with: String(repeating: "0f", count: 32))
        let path = directory.path + "/tokens"
        TemporaryDirectory.write(Array(filled.utf8), to: path)
        let file = FormerTokenFile(directory: directory.path)
        guard let faultyLine else {
            #expect(try file.read() != nil)
            return
        }
        let failure = #expect(throws: FormerTokenFile.Failure.self) { _ = try file.read() }
        #expect(failure?.description.contains("line \(faultyLine)") == true)
        let store = try store()
        defer { store.close() }
        #expect(throws: FormerTokenFile.Failure.self) {
            _ = try file.moveTokens(to: StoredTokens(store))
        }
        #expect(TemporaryDirectory.contents(path) != nil, "and the file stays")
        #expect(try !StoredTokens(store).read().areNeeded)
    }

    @Test("in a file of earlier versions are moved into the store once")
    func takeover() throws {
        let store = try store()
        defer { store.close() }
        let stored = StoredTokens(store)
        let file = FormerTokenFile(directory: directory.path)
        #expect(try file.moveTokens(to: stored) == nil)
        let text =
            "# of the night shift\none read \(try hash("1").hexadecimal) 2026-01-01T00:00:00Z\n"
            + "two admin \(try hash("2").hexadecimal) 2026-01-02T00:00:00Z\n"
        let path = directory.path + "/tokens"
        TemporaryDirectory.write(Array(text.utf8), to: path)
        #expect(try file.moveTokens(to: stored) == 2)
        #expect(TemporaryDirectory.contents(path) == nil)
        let tokens = try stored.read().tokens
        #expect(tokens.map(\.name) == ["one", "two"] && tokens.map(\.right) == [.read, .admin])
        #expect(tokens[0].created.description == "2026-01-01T00:00:00Z")
        #expect(try tokens[1].hash == hash("2"))
        // As after a crash between the commit and the removal of the file.
        TemporaryDirectory.write(Array(text.utf8), to: path)
        #expect(try file.moveTokens(to: stored) == 2)
        #expect(try stored.read().tokens == tokens)
        // A file without a token means that one is needed.
        let other = try self.store()
        defer { other.close() }
        TemporaryDirectory.write(Array("# none\n".utf8), to: path)
        #expect(try file.moveTokens(to: StoredTokens(other)) == 0)
        #expect(try StoredTokens(other).read().areNeeded)
    }

    @Test(
        "are changed by commands that have a form as text",
        arguments: ["list", "create a read HASH", "change a admin", "revoke a"])
    func commands(text: String) throws {
        let text = text.replacing("HASH", with: try hash("x").hexadecimal)
        #expect(TokenCommand(words: text.split(separator: " "))?.text == text)
        #expect(TokenCommand(words: (text + " more").split(separator: " ")) == nil)
        #expect(TokenCommand(words: text.split(separator: " ").dropLast()) == nil)
    }

    @Test("in a command that nobody takes up are told so, and the command is withdrawn")
    func notTaken() throws {
        let mailbox = TokenMailbox(directory: directory.path)
        #expect {
            try mailbox.ask(.list, seconds: 0)
        } throws: { error in
            if case .notTaken = error as? TokenMailbox.Failure { true } else { false }
        }
        #expect(!mailbox.hasRequest)
        // One that was left behind long ago is dropped.
        let path = directory.path + "/token-request"
        TemporaryDirectory.write(Array("id revoke a\n".utf8), to: path)
        let times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
        #expect(utimes(path, times) == 0)
        try mailbox.answer { _ throws(RequestFault) in
            Issue.record("it was carried out")
            return ""
        }
        #expect(!mailbox.hasRequest)
    }

    @Test("a right includes those before it")
    func rights() { #expect(Right.read < .write && .write < Right.admin) }

    /// A grant that nobody asks.
    private final class FreeGrant: AccessGrant {
        init(isForReading: Bool, owner: UInt64) {}
        func end(_ reason: AccessEnd) {}
    }
}
