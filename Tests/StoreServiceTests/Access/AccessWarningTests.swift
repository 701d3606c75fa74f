import HoldfastObjectJSON
import Testing

@testable import HoldfastStoreService

@Suite("Warnings of rules that mean something else than they look like")
struct AccessWarningTests {
    private let world: AccessWorld

    init() throws { world = try AccessWorld() }

    private func warnings(_ text: String, _ code: String) throws -> [RequestFault.Entry] {
        try world.rules(text).warnings.filter { $0.code == code }
    }

    private static func read(_ filter: String, _ members: String = "") -> String {
        #"{"users":"Person","roles":{"a":{\#(members)"classes":{"List":{"read":"\#(filter)"}}}}}"#
    }

    @Test(
        "are given where an OR or NOT takes everything from users who lack one value",
        arguments: [
            (
                "owner == $user.id OR 'editor' IN $user.groups", "'$user.groups'",
                #"{"read": "owner == $user.id"} and {"when": "'editor' IN $user.groups", "read": true}"#
            ),
            (
                "'e' IN $user.groups || owner == $user.id OR title == 'x' OR 'f' IN $user.groups",
                "'$user.groups'",
                #"{"when": "'e' IN $user.groups OR 'f' IN $user.groups", "read": true} and {"read": "owner == $user.id OR title == 'x'"}"#
            ),
            (
                "title IN {'a', 'b'} OR (title == 'c' AND secret == $user.org.unit)",
                "'$user.org.unit'",
                #"{"read": "title IN {'a', 'b'}"} and {"read": "(title == 'c' AND secret == $user.org.unit)"}"#
            ),
            (
                "title == 'x' AND (owner == $user.id OR ANY members.name IN $user.names)",
                "'$user.names'", #"{"read": "ANY members.name IN $user.names"}"#
            ),
            (
                "SUBQUERY(members, $m, $m.name == 'x' OR $m.age == $user.age).@count > 0",
                "'$user.age'", "Make one role for each alternative"
            ),
            (
                "owner == $user.id OR title == $user.object.name", "'$user.object.name'",
                #"{"read": "title == $user.object.name"}"#
            ),
            (
                "owner == $user.id OR $user.object.verified == true", "'$user.object.verified'",
                #"{"when": "$user.object.verified == true", "read": true}"#
            ),
            (
                "NOT 'banned' IN $user.groups", "'$user.groups'",
                "Name the users that may, instead of the users that may not"
            ),
            (
                "NOT (title == 'x' AND 'banned' IN $user.groups) AND owner == $user.id",
                "'$user.groups'", "Name the users that may, instead of the users that may not"
            ),
        ])
    func lackedValues(filter: String, lacked: String, remedy: String) throws {
        let found = try warnings(Self.read(filter), "lacked-value")
        let warning = try #require(found.first)
        #expect(found.count == 1 && warning.pointer == "/roles/a/classes/List/read")
        #expect(
            warning.detail.hasPrefix("Role 'a', class 'List', read: ")
                && warning.detail.contains("without \(lacked).")
                && warning.detail.contains(remedy), "\(warning.detail)")
    }

    @Test(
        "are not given where each user has what the rule names, or all sides of the OR name the same"
    )
    func evenAlternatives() throws {
        for filter in [
            "owner == $user.id OR ANY members == $user.id", "'a' IN $user.groups",
            "'a' IN $user.groups OR 'b' IN $user.groups",
            "'a' IN $user.groups AND (owner == $user.id OR title == 'x')",
            "NOT owner == $user.id", "NOT title == 'x' AND 'a' IN $user.groups",
            "owner.verified == $user.object.verified OR owner.id == $user.object.id",
        ] {
            #expect(try warnings(Self.read(filter), "lacked-value").isEmpty, "\(filter)")
        }
        // A visitor without a token has no id.
        let visited = "title == 'x' OR owner == $user.id"
        #expect(try warnings(Self.read(visited), "lacked-value").isEmpty)
        let visitors = try warnings(Self.read(visited, #""for":"anyone","#), "lacked-value")
        #expect(visitors.first?.detail.contains("without '$user.id'.") == true, "\(visitors)")
        let roles =
            #"{"users":"Person","roles":{"a":{"when":"'x' IN $user.groups OR $user.object.verified == true"},"#
            + #""b":{"classes":{"List":{"update":{"before":"owner == $user.id OR secret == $user.s","after":true}}}}}}"#
        #expect(
            try warnings(roles, "lacked-value").map(\.pointer) == [
                "/roles/a/when", "/roles/b/classes/List/update",
            ])
        // The form that the warning suggests causes no warning.
        let apart =
            #"{"roles":{"own":{"classes":{"List":{"read":"owner == $user.id"}}},"#
            + #""editor":{"when":"'editor' IN $user.groups","classes":{"List":{"read":true}}}}}"#
        #expect(try world.rules(apart).warnings.isEmpty)
    }

    @Test("are given where the user stands in quotes")
    func quotedUsers() throws {
        for (filter, hint) in [
            ("owner == '$user.id'", "$user.id"), ("title == '$user'", "$user"),
            (#"title == \"$user.name\""#, "$user.name"),
            ("'$user.id' == secret AND title == 'x'", "$user.id"),
        ] {
            let found = try warnings(Self.read(filter), "quoted-user")
            #expect(found.count == 1 && found.first?.hint == hint, "\(filter): \(found)")
        }
        let column = try warnings(Self.read("owner == '$user.id'"), "quoted-user").first?.detail
        #expect(column?.contains("read, column 10: '$user.id' is in quotes") == true)
        for filter in ["owner == $user.id", "title == '$users'", "title == 'of $user.id'"] {
            #expect(try warnings(Self.read(filter), "quoted-user").isEmpty, "\(filter)")
        }
    }
}
