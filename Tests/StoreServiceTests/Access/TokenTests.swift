@testable import HoldfastAccess
import Glibc
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastTestSupport
import Synchronization
import Testing

@testable import HoldfastStoreService

extension Token: Equatable {
    /// Whether both are one token, with the same terms. What is made of these is not compared.
    public static func == (a: Token, b: Token) -> Bool {
        a.number == b.number && a.name == b.name && a.terms == b.terms
            && a.created == b.created && a.hash == b.hash
    }
}

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
                try stored.add("one", TokenTerms(.read), one.hash),
                try stored.add("two", TokenTerms(.admin), two.hash),
                // The very token that is there already.
                try stored.add("one", TokenTerms(.read), one.hash)
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
                    try stored.add(name, TokenTerms(.write), hash)
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
        "are changed by commands that have a form as text",
        arguments: [
            "list {}", #"create {"token":{"name":"a","right":"read"},"hash":"HASH"}"#,
            #"create {"token":{"name":"a","right":"read","user":"a b","claims":{"x":[1,"y"]},"expires":"2999-01-01T00:00:00Z"},"hash":"HASH"}"#,
            #"change {"name":"a","token":{"right":"admin","expires":null}}"#,
            #"revoke {"name":"a"}"#,
        ])
    func commands(text: String) throws {
        let text = text.replacing("HASH", with: try hash("x").hexadecimal)
        #expect(try TokenCommand(text: text[...])?.text == text)
        for other in [text + " more", "x" + text, String(text.dropLast()), "revoke {}", ""] {
            #expect(try TokenCommand(text: other[...]) == nil, "\(other)")
        }
    }

    @Test("in a command that was taken up late may have ended since it was asked for")
    func late() throws {
        let store = try store()
        defer { store.close() }
        let text =
            #"create {"token":{"name":"a","right":"read","expires":"2020-01-01T00:00:00Z"},"hash":"HASH"}"#
            .replacing("HASH", with: try hash("x").hexadecimal)
        let command = try #require(try TokenCommand(text: text[...]))
        #expect(try command.run(StoredTokens(store)) == "")
        #expect(try StoredTokens(store).read().tokens.map(\.name) == ["a"])
    }

    @Test("last as long as is asked for, though they end with a whole second")
    func duration() throws {
        let start = Timestamp.now()
        guard case .at(let end)? = TokenMembers.Expiry(after: 1) else {
            Issue.record("it never ends")
            return
        }
        #expect(end >= Timestamp(seconds: start.seconds + 1, nanoseconds: start.nanoseconds))
    }

    @Test(
        "that none can be are refused with what is wrong, whichever way they are asked for",
        arguments: [
            (TokenMembers(name: "a", right: .read, user: ""), "/user"),
            (TokenMembers(name: "a", right: .read, user: "a\n"), "/user"),
            (TokenMembers(name: "a", right: .read, classes: ["A", "A"]), "/classes"),
            (
                TokenMembers(name: "a", right: .read, claims: try? Claims(assignments: ["a=1"])),
                "/claims"
            ),
        ])
    func refused(members: TokenMembers, pointer: String) throws {
        let store = try store()
        defer { store.close() }
        let command = TokenCommand.create(members, hash: try hash("x"))
        #expect(try TokenCommand(text: command.text[...]) == command)
        #expect {
            try command.run(StoredTokens(store))
        } throws: { error in
            (error as? RequestFault)?.errors.first?.pointer == pointer
        }
    }

    @Test(
        "have an end, a user and claims, which a later program reads as they were",
        arguments: EngineCase.all)
    func terms(engine: EngineCase) throws {
        let store = try store(engine)
        defer { store.close() }
        let stored = StoredTokens(store)
        let json =
            #"{"name":"ann","right":"read","user":"u 1","claims":{"groups":["editor"],"n":1.50},"expires":"2999-01-02T03:04:05.9Z"}"#
        let (name, terms) = try members(json).new()
        let made = try stored.add(name, terms, hash("1"))
        #expect(try stored.read().tokens == [made])
        #expect(made.terms == terms && terms.user == "u 1")
        #expect(terms.claims.text == #"{"groups":["editor"],"n":1.50}"#)
        #expect(terms.end?.description == "2999-01-02T03:04:05Z")
        let changed = try stored.change("ann", members(#"{"claims":{},"expires":null}"#))
        #expect(changed.terms == TokenTerms(.read, user: "u 1"))
        #expect(try stored.read().tokens == [changed])
        #expect(try StoreCheck.run(store).findings == [])
    }

    @Test(
        "have claims of names and values, which are JSON or text",
        arguments: [
            (["a=1"], #"{"a":1}"#), (["a=x y", "b=[\"x\"]"], #"{"a":"x y","b":["x"]}"#),
            (["a="], #"{"a":""}"#), (["a=b=c"], #"{"a":"b=c"}"#), (["a"], nil), (["=x"], nil),
            (["a=1", "a=2"], nil), (["a={\"b\":1,\"b\":2}"], nil),
        ] as [([String], String?)])
    func assignments(texts: [String], json: String?) {
        do throws(RequestFault) {
            let claims = try Claims(assignments: texts)
            #expect(claims.text == json)
        } catch {
            #expect(json == nil && error.code == "invalid-token")
        }
    }

    @Test(
        "whose time is over are ended, with what they have begun, and are not known after a start")
    func expiry() throws {
        let store = try store()
        defer { store.close() }
        let stored = StoredTokens(store)
        let table = try TokenTable<FreeGrant>(stored)
        let now = Timestamp.now()
        let end = Timestamp(seconds: now.seconds + 60, nanoseconds: 0)
        let (early, late) = try table.change { stored throws(RequestFault) in
            (
                try stored.add("early", TokenTerms(.write, end: end), TokenSecret().hash),
                try stored.add("late", TokenTerms(.write), TokenSecret().hash)
            )
        }
        let grant = try #require(table.access(ofNumber: early.number)?.grant(.write))
        let other = try #require(table.access(ofNumber: late.number)?.grant(.write))
        table.endOverdue(at: now)
        #expect(!grant.hasEnded && table.token(ofNumber: early.number) == early)
        table.endOverdue(at: end)
        #expect(grant.hasEnded && !other.hasEnded)
        #expect(table.access(ofNumber: early.number) == nil && table.isEnforced)
        let past = Timestamp(seconds: now.seconds - 1, nanoseconds: 0)
        let over = try stored.add("over", TokenTerms(.read, end: past), TokenSecret().hash)
        let next = try TokenTable<FreeGrant>(stored)
        #expect(next.access(ofNumber: over.number) == nil)
        #expect(next.access(ofNumber: late.number) != nil)
    }

    private func members(_ json: String) throws -> TokenMembers {
        let parser = JSONParser()
        return try Array(json.utf8).withUnsafeBytes { try TokenMembers(parser.parse($0)) }
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
        TemporaryDirectory.write(Array("id revoke {\"name\":\"a\"}\n".utf8), to: path)
        let times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
        #expect(utimes(path, times) == 0)
        try mailbox.answer { _ throws(RequestFault) in
            Issue.record("it was carried out")
            return ""
        }
        #expect(!mailbox.hasRequest)
    }

    @Test("a right includes those before it")
    func rights() throws {
        #expect(Right.metrics < .read && Right.read < .write && .write < Right.admin)
        let access = TokenAccess<FreeGrant>(nil)
        #expect(Right.allCases.allSatisfy { access.grant($0) != nil })
    }

    /// A grant that nobody asks.
    private final class FreeGrant: AccessGrant {
        private let ended = Atomic<Bool>(false)
        var hasEnded: Bool { ended.load(ordering: .relaxed) }

        init(of token: Token?) {}
        func end(_ reason: AccessEnd) { ended.store(true, ordering: .relaxed) }
    }
}
