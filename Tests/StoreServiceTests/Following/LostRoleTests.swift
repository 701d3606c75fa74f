@testable import HoldfastAccess
import Glibc
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

@Suite("Roles that are lost and regained")
struct LostRoleTests {
    /// A cause that lets a user read other tasks for a while.
    struct Cause: CustomTestStringConvertible {
        var role: String
        var user = "ann"
        /// The requests that take the view away, and the requests that give it back.
        var lose: [String]
        var regain: [String]

        var testDescription: String { "\(role): \(lose)" }

        init(_ role: String, _ lose: [String], _ regain: [String], user: String = "ann") {
            (self.role, self.lose, self.regain, self.user) = (role, lose, regain, user)
        }
    }

    private static func patch(_ className: String, _ id: String, _ value: String) -> String {
        "{\"op\":\"patch\",\"class\":\"\(className)\",\"id\":\"\(id)\",\"value\":\(value)}"
    }

    private static func delete(_ className: String, _ id: String) -> String {
        "{\"op\":\"delete\",\"class\":\"\(className)\",\"id\":\"\(id)\"}"
    }

    private static func create(_ className: String, _ id: String, _ value: String) -> String {
        "{\"op\":\"create\",\"class\":\"\(className)\",\"value\":{\"id\":\"\(id)\",\(value)}}"
    }

    private static let on = LostRoleWorld.role(when: "$user.object.on == true")
    private static let team = LostRoleWorld.role(when: "$user.object.team.on == true")
    private static let teams = LostRoleWorld.role(when: "true IN $user.object.teams.on")
    private static let tag = LostRoleWorld.role(when: "'x' IN $user.object.tags")
    private static let level = LostRoleWorld.role(when: "$user.object.level > 3")
    private static let group =
        #"{"classes":{"Task":{"read":"shown == true AND group == $user.object.group"}}}"#

    static let causes = [
        Cause(
            on, [patch("Person", "ann", #"{"on":false}"#)],
            [patch("Person", "ann", #"{"on":true}"#)]),
        Cause(on, [delete("Person", "ann")], [create("Person", "ann", #""on":true"#)]),
        Cause(team, [patch("Team", "t", #"{"on":false}"#)], [patch("Team", "t", #"{"on":true}"#)]),
        Cause(
            team, [patch("Person", "ann", #"{"team":null}"#)],
            [patch("Person", "ann", #"{"team":"t"}"#)]),
        Cause(
            team, [delete("Team", "t")],
            [create("Team", "t", #""on":true"#), patch("Person", "ann", #"{"team":"t"}"#)]),
        Cause(
            teams, [patch("Team", "t", #"{"members":[]}"#)],
            [patch("Team", "t", #"{"members":["cem","ann"]}"#)]),
        Cause(teams, [patch("Team", "t", #"{"on":false}"#)], [patch("Team", "t", #"{"on":true}"#)]),
        Cause(
            teams, [delete("Team", "t")], [create("Team", "u", #""on":true,"members":["ann"]"#)]),
        Cause(
            tag, [patch("Person", "ann", #"{"tags":[]}"#)],
            [patch("Person", "ann", #"{"tags":["x"]}"#)]),
        Cause(
            level, [patch("Person", "ann", #"{"level":2}"#)],
            [patch("Person", "ann", #"{"level":7}"#)]),
        Cause(
            group, [patch("Person", "ann", #"{"group":"b"}"#)],
            [patch("Person", "ann", #"{"group":"a"}"#)]),
        // The reverse: the user sees more for a while.
        Cause(on, [create("Person", "bob", #""on":true"#)], [delete("Person", "bob")], user: "bob"),
        Cause(
            on, [patch("Person", "cem", #"{"on":true}"#)],
            [patch("Person", "cem", #"{"on":false}"#)],
            user: "cem"),
        Cause(
            teams, [create("Team", "v", #""on":true,"members":["cem"]"#)], [delete("Team", "v")],
            user: "cem"),
    ]

    /// Makes a change that only the role shows, and that a user without the role must not learn of.
    private func happen(_ cause: Cause, in world: LostRoleWorld) throws {
        try world.service.transaction(cause.lose)
        try happen(in: world)
        try world.service.transaction(cause.regain)
    }

    /// Shows two objects for a while.
    private func happen(in world: LostRoleWorld) throws {
        try world.run(
            #"{"op":"create","class":"Task","value":{"id":9,"shown":true,"pin":"4711","group":"a"}}"#,
            #"{"op":"create","class":"Task","value":{"id":10,"shown":true,"pin":"4712","group":"a"}}"#
        )
        try world.run(
            #"{"op":"patch","class":"Task","id":9,"value":{"shown":false}}"#,
            #"{"op":"delete","class":"Task","id":10}"#)
    }

    /// Whether no event names a change that was made meanwhile.
    private func isSilent(_ events: [ToldEvents.Event]) -> Bool {
        !events.contains { event in
            ["\"471", "\"id\":9", "\"id\":10"].contains { event.data.text.contains($0) }
        }
    }

    @Test(
        "a catch-up over a time when the user could read something else begins again, in every mode",
        arguments: causes, LostRoleWorld.Form.allCases)
    func catchUp(cause: Cause, form: LostRoleWorld.Form) throws {
        let world = try LostRoleWorld(cause.role)
        let caller = world.caller(cause.user)
        let cursor = try world.cursor(form, for: caller)
        try happen(cause, in: world)
        try expectNewBeginning(of: form, from: cursor, for: caller, in: world)
    }

    /// Expects that a page, a poll and a stream of events begin again, and name no change that was made meanwhile.
    private func expectNewBeginning(
        of form: LostRoleWorld.Form, from cursor: String, for caller: Caller,
        in world: LostRoleWorld
    ) throws {
        if form != .several, form != .list {
            switch try world.page(form, from: cursor, for: caller) {
            case .success(let page): Issue.record("\(page)")
            case .failure(let fault):
                #expect(fault.kind == .expired && fault.code == "access-changed", "\(fault)")
            }
            let poll = try world.poll(form, from: cursor, for: caller)
            for _ in 0..<6_000 where !poll.isGone { usleep(5_000) }
            if case .fault(let fault)? = poll.leave() {
                #expect(fault.kind == .expired && fault.code == "access-changed", "\(fault)")
            } else {
                Issue.record("the poll is not refused")
            }
        }
        let stream = try world.follow(form, from: cursor, for: caller)
        let events = try #require(world.events(of: stream))
        let reasons = events.filter { $0.name == "reset" }.map { $0.data["reason"]?.string }
        #expect(Set(reasons) == ["access-changed"], "\(events)")
        #expect(isSilent(events), "\(events)")
    }

    private static let editor = LostRoleWorld.role(when: "'editor' IN $user.groups")

    private static func claims(group: String) -> Claims {
        Claims(text: "{\"groups\":[\"\(group)\"]}")
    }

    @Test(
        "a catch-up over a time when the user was barred begins again, in every mode",
        arguments: [#"{"blocked":true}"#, #"{"signedInAfter":"2999-01-01T00:00:00Z"}"#],
        LostRoleWorld.Form.allCases)
    func barred(bar: String, form: LostRoleWorld.Form) throws {
        let world = try LostRoleWorld(Self.on)
        let caller = world.caller("ann")
        let cursor = try world.cursor(form, for: caller)
        try world.setAccess(of: "ann", bar)
        // A stream that goes on for a moment, until it ends, moves its client's cursor.
        try world.run(Self.patch("Task", "1", #"{"pin":"1"}"#))
        let later = try world.cursor(form, for: caller)
        try happen(in: world)
        // The second bar holds until its time, and ends by itself.
        if bar.contains("blocked") { try world.setAccess(of: "ann", "{}") }
        for cursor in [cursor, later] {
            try expectNewBeginning(of: form, from: cursor, for: caller, in: world)
        }
    }

    @Test("a user who was barred goes on from a later cursor, and others from every one")
    func unbarred() throws {
        let world = try LostRoleWorld(Self.on)
        let (ann, bob) = (world.caller("ann"), world.caller("bob"))
        let first = try world.cursor(.all, for: bob)
        try world.setAccess(of: "ann", #"{"blocked":true}"#)
        try world.run(Self.patch("Task", "1", #"{"pin":"1"}"#))
        try world.setAccess(of: "ann", "{}")
        let later = try world.cursor(.all, for: ann)
        try world.run(Self.patch("Task", "1", #"{"pin":"2"}"#))
        // What was issued later than that is not void.
        for user in ["ann", "bob"] {
            try world.setAccess(of: user, #"{"signedInAfter":"2020-01-01T00:00:00Z"}"#)
        }
        for (caller, cursor) in [(ann, later), (bob, first)] {
            let page = try world.page(.all, from: cursor, for: caller).get()
            #expect(page["changes"]?.elements.compactMap { $0["id"]?.int } == [1], "\(page)")
        }
    }

    @Test(
        "the record of a user who was barred stays as long as the change log reaches back to then")
    func recordOfBar() throws {
        let world = try LostRoleWorld(Self.on)
        let store = world.service.store
        try world.setAccess(of: "ann", #"{"blocked":true}"#)
        try happen(in: world)
        try world.setAccess(of: "ann", "{}")
        try world.setAccess(of: "cem", "{}")
        #expect(try store.access().users.map(\.id) == ["ann"])
        #expect(try StoredTokens(store).read().users.isEmpty)
        #expect(try StoredTokens(store).user("ann") == nil)
        #expect(try StoreCheck.run(store).findings.isEmpty)
    }

    /// The members of a token that take a view away for a while, and those that give it back.
    struct TokenChange: CustomTestStringConvertible {
        var lost: TokenMembers
        var regained: TokenMembers
        var testDescription: String { String(decoding: lost.json, as: UTF8.self) }
    }

    static let tokenChanges = [
        TokenChange(
            lost: TokenMembers(claims: claims(group: "visitor")),
            regained: TokenMembers(claims: claims(group: "editor"))),
        TokenChange(lost: TokenMembers(right: .metrics), regained: TokenMembers(right: .read)),
        TokenChange(
            lost: TokenMembers(classes: ["Person"]), regained: TokenMembers(classes: ["Task"])),
        TokenChange(
            lost: TokenMembers(expiry: .at(Timestamp(seconds: 1, nanoseconds: 0))),
            regained: TokenMembers(expiry: .never)),
    ]

    @Test(
        "a catch-up over a time when the token had other terms begins again, in every mode",
        arguments: tokenChanges, LostRoleWorld.Form.allCases)
    func otherTerms(change: TokenChange, form: LostRoleWorld.Form) throws {
        let world = try LostRoleWorld(Self.editor)
        var terms = TokenTerms(.read, user: "ann", claims: Self.claims(group: "editor"))
        if change.lost.classes != nil { terms.classes = ["Task"] }
        try world.makeToken("phone", terms)
        try world.makeToken("tablet", terms)
        let cursor = try world.cursor(form, for: world.caller(with: "phone"))
        try world.changeToken("phone", change.lost)
        try happen(in: world)
        try world.changeToken("phone", change.regained)
        let caller = try world.caller(with: "phone")
        try expectNewBeginning(of: form, from: cursor, for: caller, in: world)
        // The user could read all of it by the other token.
        if form == .all {
            let tablet = try world.caller(with: "tablet")
            let page = try world.page(form, from: cursor, for: tablet).get()
            #expect(page["changes"]?.elements.count ?? 0 > 0, "\(page)")
        }
    }

    @Test("a catch-up over a time when a token of some classes was for others begins again")
    func otherClasses() throws {
        let world = try LostRoleWorld(Self.editor)
        var terms = TokenTerms(.read)
        terms.classes = ["Task"]
        try world.makeToken("reports", terms)
        let cursor = try world.cursor(.all, for: world.caller(with: "reports"))
        try world.changeToken("reports", TokenMembers(classes: ["Person"]))
        try happen(in: world)
        try world.changeToken("reports", TokenMembers(classes: ["Task"]))
        let caller = try world.caller(with: "reports")
        guard case .failure(let fault) = try world.page(.all, from: cursor, for: caller) else {
            Issue.record("reported")
            return
        }
        #expect(fault.code == "access-changed", "\(fault)")
    }

    @Test("terms of a token that decide about no view reset nothing")
    func unrelatedTerms() throws {
        let world = try LostRoleWorld(Self.editor)
        let claims = Self.claims(group: "editor")
        try world.makeToken("phone", TokenTerms(.read, user: "ann", claims: claims))
        let cursor = try world.cursor(.all, for: world.caller(with: "phone"))
        try world.run(Self.patch("Task", "1", #"{"pin":"1"}"#))
        try world.changeToken("phone", TokenMembers(right: .write))
        try world.changeToken("phone", TokenMembers(claims: claims))
        for expiry in [TokenMembers.Expiry(after: 60), .never] {
            try world.changeToken("phone", TokenMembers(expiry: expiry))
        }
        let caller = try world.caller(with: "phone")
        let page = try world.page(.all, from: cursor, for: caller).get()
        #expect(page["changes"]?.elements.compactMap { $0["id"]?.int } == [1], "\(page)")
    }

    @Test(
        "a live stream that is told all of it as one step begins again",
        arguments: causes.filter { $0.user == "ann" }, [LostRoleWorld.Form.all, .several, .list])
    func burst(cause: Cause, form: LostRoleWorld.Form) throws {
        let world = try LostRoleWorld(cause.role)
        let caller = world.caller(cause.user)
        let stream = try world.follow(form, from: "now", for: caller)
        _ = try #require(world.events(of: stream))
        try world.hub.inOneStep {
            try happen(cause, in: world)
            try world.run(#"{"op":"patch","class":"Task","id":1,"value":{"pin":"1"}}"#)
        }
        let events = try #require(world.events(of: stream))
        let first = events.first { !$0.name.isEmpty }
        #expect(first?.name == "reset", "\(events)")
        #expect(first?.data["reason"]?.string == "access-changed", "\(events)")
        #expect(isSilent(events), "\(events)")
    }

    @Test(
        "what decides about no view of the user resets nothing",
        arguments: [on, team, teams, tag, level, group])
    func unrelated(role: String) throws {
        let world = try LostRoleWorld(role)
        let caller = world.caller("ann")
        let cursor = try world.cursor(.all, for: caller)
        let live = try world.follow(.all, from: "now", for: caller)
        _ = try #require(world.events(of: live))
        for number in 1...100 {
            try world.run(
                Self.patch("Person", "ann", "{\"seen\":\(number)}"),
                Self.patch("Team", "t", "{\"seen\":\(number)}"))
        }
        try world.run(
            Self.patch("Person", "cem", #"{"on":true,"level":9,"tags":["x"],"group":"a"}"#),
            Self.create("Team", "u", #""on":true,"members":["cem"]"#))
        // The role is active all the time.
        if role == Self.level { try world.run(Self.patch("Person", "ann", #"{"level":6}"#)) }
        try world.run(#"{"op":"patch","class":"Task","id":1,"value":{"pin":"1"}}"#)
        let page = try world.page(.all, from: cursor, for: caller).get()
        #expect(page["changes"]?.elements.compactMap { $0["id"]?.int } == [1], "\(page)")
        let resumed = try world.follow(.all, from: cursor, for: caller)
        for stream in [live, resumed] {
            let events = try #require(world.events(of: stream))
            #expect(!events.contains { $0.name == "reset" }, "\(events)")
            let told = events.flatMap { $0.data["changes"]?.elements ?? [] }
            #expect(told.compactMap { $0["id"]?.int } == [1], "\(events)")
        }
    }

    @Test(
        "a stream of several queries whose view changed while it was open goes on at its next connection"
    )
    func reopened() throws {
        let world = try LostRoleWorld(Self.on)
        let caller = world.caller("ann")
        let stream = try world.follow(.several, from: "now", for: caller)
        _ = try #require(world.events(of: stream))
        try world.put(Self.team)
        try world.run(Self.patch("Task", "1", #"{"pin":"1"}"#))
        let events = try #require(world.events(of: stream))
        #expect(events.contains { $0.name == "reset" }, "\(events)")
        let cursor = try #require(events.last { $0.id != nil }?.id)
        try world.run(Self.patch("Task", "1", #"{"pin":"2"}"#))
        let next = try world.reopen(stream, from: cursor, for: caller)
        let more = try #require(world.events(of: next))
        #expect(!more.contains { $0.name == "reset" }, "\(more)")
        let changed = more.flatMap { $0.data["changes"]?.elements ?? [] }
        #expect(changed.contains { $0["id"]?.int == 1 && $0["query"]?.string == "a" }, "\(more)")
    }

    @Test("what the change log does not keep of the user's object begins again")
    func notKept() throws {
        let world = try LostRoleWorld(#"{"classes":{}}"#)
        try world.put(Self.on)
        let caller = world.caller("ann")
        // A value that is too long to be kept in the change log.
        let other = LostRoleWorld.role(when: "$user.object.group != 'b'")
        try world.put(other)
        let cursor = try world.cursor(.all, for: caller)
        let long = String(repeating: "c", count: 40_000)
        try world.run(Self.patch("Person", "ann", "{\"group\":\"\(long)\"}"))
        try world.run(Self.patch("Person", "ann", #"{"group":"a"}"#))
        guard case .failure(let fault) = try world.page(.all, from: cursor, for: caller) else {
            Issue.record("told")
            return
        }
        #expect(fault.code == "access-changed", "\(fault)")
    }
}
