import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What a user is told of changes is the same whatever else happens, and is, of what they do not see.
@Suite("Changes of what is hidden, in two worlds")
struct HiddenChangeTests {
    /// What is asked for, by what it reads.
    struct Forms: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let targets: [String]

        init(_ text: String, _ path: String, _ parameters: [[(String, String)]]) {
            testDescription = text
            targets = parameters.map { list in
                let text = list.map { "\($0)=\(RuleRequest.escaped($1))" }.joined(separator: "&")
                return text.isEmpty ? path : path + "?" + text
            }
        }

        init(_ text: String, _ targets: [String]) {
            (testDescription, self.targets) = (text, targets)
        }
    }

    private static let changes = "/classes/Doc/changes"
    /// After how many changes each asks for what it has missed, each at others; streams that stay open are listened to after each.
    private static let askingStride = SeededGenerator.isSoak ? 1 : 6

    /// Filters, each of which shows keys alone.
    private static func filters(_ texts: String...) -> [[(String, String)]] {
        texts.map { [("filter", $0), ("fields", "id")] }
    }

    /// Of the forms those that are asked for.
    private static let targetStride = SeededGenerator.isSoak ? 1 : 2
    /// Of the class; three read so much that workers test what is followed.
    private static let roleCounts = SeededGenerator.isSoak ? [1, 2, 3] : [3]

    /// A stream of several queries of documents.
    private static func several(_ text: String, _ queries: String...) -> Forms {
        let named = queries.enumerated().map { "\"q\($0)\":{\"class\":\"Doc\",\($1)}" }
        return Forms(text, ["{\"queries\":{\(named.joined(separator: ","))}}"])
    }

    static let forms = [
        Forms(
            "own values", changes,
            [
                [], [("fields", "id")], [("fields", "id,title")],
                [("keyPaths", "title"), ("fields", "id")],
            ]
                + filters("title == 'x'", "n > 5", "id < 11", "note == 'x'", "NOT title TEXT 'x'")),
        Forms(
            "filters by hidden links", changes,
            filters(
                "secret.n == 99", "secret.n != 99", "NOT secret.n == 99", "secret == 12",
                "secret == null",
                "ANY secrets.n == 99", "secrets.@count == 0", "part.to.n == 99", "part == null")),
        Forms(
            "filters by links", changes,
            filters(
                "ref.title == 'x'", "ref.title != 'x'", "ref == null", "ref.ref.title == 'x'",
                "ANY refs.title == 'x'", "NONE refs.n > 5", "refs.@count == 2", "refs.@sum.n > 5",
                "SUBQUERY(refs, $r, $r.title == 'x').@count > 0", "ANY others.title == 'x'",
                "named.a.title == 'x'", "ANY parts.to.title == 'x'", "ANY parts.to.n > 5",
                "parts.@count > 0",
                "free.title == 'x'")),
        Forms(
            "filters by inverse links", changes,
            filters(
                "back.@count > 0", "back.@count == 0", "ANY back.title == 'x'",
                "NONE back.title == 'x'",
                "ANY back.ref.n == 99", "ANY back.secret.n == 99", "back.@sum.n > 5",
                "SUBQUERY(back, $b, $b.ref.n == 99).@count > 0", "behind.@count > 0",
                "ANY behind.title == 'x'", "ref.back.@count > 0")),
        Forms(
            "filters by all links that lead to an object", changes,
            filters(
                "@links.@count > 0", "@links.@count == 0", "@links.Doc.refs.title == 'x'",
                "@links.Doc.refs.ref.n == 99", "@links.Doc.refs.@count > 0",
                "@links.Doc.secret.@count > 0",
                "@links.Doc.ref.@count == 1", "ref.@links.@count > 1")),
        Forms(
            "key paths", changes,
            [
                "ref", "ref.title", "ref.n", "refs", "refs.title", "refs.*", "others.title",
                "named.title",
                "parts.to", "parts.to.title", "free", "back", "back.n", "back.@count",
                "back.ref.n",
                "back.secret.n", "secret",
                "secret.n", "secrets.n", "part.to.n", "part.*", "behind.title", "team.name",
            ].map { [("keyPaths", $0), ("fields", "id")] }),
        Forms(
            "fields", changes,
            [
                "id,ref", "id,ref.title", "id,refs", "id,refs.title", "id,others.n", "id,named",
                "id,parts.to.title",
                "id,free", "id,back", "id,back.@count", "id,back.title", "id,back.ref.title",
                "id,behind.n",
                "id,secret.n", "id,secrets", "id,part", "id,refs.back.@count",
            ].map { [("fields", $0)] }),
        Forms(
            "expanded links", changes,
            [
                ("id,ref", "ref"), ("id,refs", "refs"), ("id,ref,refs", "ref,refs"),
                ("id,back", "back"),
                ("id,back", "back.ref"), ("id,secret", "secret"), ("id,secrets", "secrets"),
                ("id,part", "part.to"),
                ("id,parts", "parts.to"), ("id,named", "named"), ("id,refs", "refs.refs"),
            ].map { [("fields", $0), ("expand", $1)] } + [[("expand", "ref,refs,back")]]),
        Forms(
            "filters and fields by other links", changes,
            [
                [("filter", "ANY back.title == 'x'"), ("fields", "id,refs.title")],
                [("filter", "ref.title == 'x'"), ("fields", "id,back")],
                [("filter", "ref.title == 'x'"), ("fields", "id,back.@count"), ("old", "true")],
                [("filter", "public == true"), ("expand", "refs,ref"), ("fields", "id,refs,ref")],
                [("filter", "back.@count > 0"), ("fields", "id,back")],
                [("filter", "secret.n != 99"), ("keyPaths", "back.n"), ("fields", "id")],
                [("keyPaths", "ref.title"), ("fields", "id,refs.title")],
            ]),
        Forms(
            "projections", "/projections/Card/changes",
            [[], [("keyPaths", "s")], [("keyPaths", "b,bs")], [("fields", "id")]]
                + ["s == 99", "b > 0", "c == 0", "v == 'x'"].map { [("filter", $0)] }
        ),
        Forms(
            "projections of links", "/projections/Links/changes",
            [[], [("fields", "r")]]
                + ["r == 'x'", "ANY rs == 'x'", "ANY p == 'x'"].map {
                    [("filter", $0), ("fields", "id")]
                }),
        Forms(
            "lists", changes,
            [
                [("sort", "title,id"), ("fields", "id")],
                [("sort", "back.@count,id"), ("fields", "id")],
                [("sort", "ref.title,id"), ("fields", "id"), ("limit", "3")],
                [("sort", "secret.n,id"), ("fields", "id")],
                [("sort", "-refs.@count,id"), ("fields", "id,refs")],
                [("sort", "id"), ("filter", "ANY back.title == 'x'"), ("fields", "id")],
            ]),
        Forms(
            "sections", "/classes/Doc/sections/changes",
            ["title", "ref.title", "back.@count", "secret.n", "note"].map {
                [("by", $0), ("fields", "id")]
            } + [[("by", "title"), ("filter", "ANY back.title == 'x'"), ("fields", "id")]]),
        Forms(
            "figures", "/classes/Doc/aggregate/changes",
            ["count", "sum(back.@count)", "sum(secret.n)", "max(ref.n)"].map { [("op", $0)] }
                + ["title", "ref.title", "refs", "note", "back"].map {
                    [("op", "count"), ("by", $0)]
                }
                + ["ANY back.title == 'x'", "@links.@count > 0", "secret.n != 99"].map {
                    [("op", "count"), ("filter", $0)]
                }),
        several(
            "several queries",
            #""filter":"ANY back.title == 'x'","fields":"id""#, #""fields":"id,refs""#,
            #""sort":"title,id","fields":"id""#),
        several(
            "other queries on one connection",
            #""id":1,"expand":"refs""#,
            #""filter":"secret.n != 99","keyPaths":"back.n","fields":"id""#,
            #""sort":"back.@count,id","limit":3,"fields":"id""#),
        Forms(
            "properties",
            ["ref", "refs", "others", "named", "parts", "free", "title", "note", "secret"].flatMap {
                name in
                [1, 6, 12].map { "/classes/Doc/objects/\($0)/properties/\(name)/changes" }
            }),
        Forms(
            "what the links of properties lead to",
            ["ref", "refs", "others", "named", "back"].flatMap { name in
                ["fields=id,title", "fields=id,refs.title", "expand=ref"].map {
                    "/classes/Doc/objects/1/properties/\(name)/changes?\($0)"
                }
            }),
        Forms(
            "single objects",
            [1, 3, 11, 90].flatMap { key in
                [
                    "", "?expand=ref,refs", "?fields=id,back", "?fields=id,refs.title",
                    "?keyPaths=back.title",
                ].map {
                    "/classes/Doc/objects/\(key)/changes\($0)"
                }
            }),
    ]

    @Test(
        "catch-ups and streams tell the same", arguments: roleCounts, forms)
    func table(roles: Int, forms: Forms) throws {
        let worlds = try HiddenDocs.worlds(HiddenDocs.documents[roles - 1])
        var faulty: Set<String> = []
        let targets = forms.targets.indices.filter { $0 % Self.targetStride == 0 }
        let followers = targets.map { TwoWorldsFollower(forms.targets[$0], worlds) }
        func note(_ difference: Difference, _ change: String) {
            let name = "\(difference.target) \(difference.way)"
            if faulty.insert(name).inserted {
                Issue.record("\(roles) roles, \(change): \(difference)")
            }
        }
        for follower in followers { if let found = follower.open() { note(found, "at first") } }
        worlds.notice()
        for follower in followers { follower.mark() }
        let changes = HiddenDocs.changes
        for (step, change) in changes.enumerated() {
            guard worlds.make(change) else { return }
            for (number, follower) in followers.enumerated() {
                let isAsking =
                    (step + number) % Self.askingStride == 0 || step == changes.count - 1
                for found in follower.differences(limit: 2, pageCountMax: isAsking ? 40 : 0) {
                    note(found, "\(change)")
                }
            }
        }
    }

    /// What is followed while little happens.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var target = HiddenChangeTests.changes
        /// What differs then.
        var before: [TwoWorlds.Change] = []
        let after: [TwoWorlds.Change]
        var limit = 2
    }

    private static func doc(_ key: Int, _ body: String) -> TwoWorlds.Write {
        TwoWorlds.Write("PATCH", "/classes/Doc/objects/\(key)", body)
    }

    /// Changes titles of documents, and an object of a hidden class, in one version.
    private static func titles(_ keys: [Int]) -> TwoWorlds.Write {
        let operations =
            [#"{"op":"patch","class":"Vault","id":1,"value":{"tick":1}}"#]
            + keys.map {
                #"{"op":"patch","class":"Doc","id":\#($0),"value":{"title":"w"}}"#
            }
        return TwoWorlds.Write(
            "POST", "/transactions", "{\"operations\":[\(operations.joined(separator: ","))]}")
    }

    static let cases = [
        Case(
            testDescription: "a hidden link to what gets one that is seen",
            target: changes + "?fields=id&filter=" + RuleRequest.escaped("@links.@count > 1"),
            after: [.init("a link that is seen", doc(4, #"{"named":{"a":12}}"#))]),
        Case(
            testDescription: "a hidden link that goes, beside one that is seen and stays",
            target: changes + "?fields=id&keyPaths=back",
            before: [
                .init("links", doc(90, #"{"refs":[2]}"#), doc(90, #"{"refs":[1]}"#)),
                .init("elements", doc(6, #"{"refs":[90,2]}"#)),
            ],
            after: [
                .init("links", doc(90, #"{"refs":[]}"#)),
                .init("elements", doc(6, #"{"refs":[2]}"#)),
            ]),
        Case(
            testDescription: "a hidden embedded object of a class of which others are seen",
            before: [
                .init(
                    "embedded", doc(1, #"{"note":"z","part":{"to":5}}"#),
                    doc(1, #"{"note":"z","part":{"to":12}}"#))
            ],
            after: [.init("to the user", doc(5, #"{"owner":"ann","secrets":[],"note":"x"}"#))]),
        Case(
            testDescription: "more hidden objects than fill a page",
            after: [
                .init("hidden ones", titles([90]), titles([90, 91, 92])),
                .init("a public one", doc(1, #"{"title":"w"}"#)),
            ]),
        Case(
            testDescription: "a hidden object behind those that fill a page",
            after: [.init("a public one", titles([1]), titles([1, 91]))], limit: 1),
    ]

    @Test("what is hidden tells nothing", arguments: cases)
    func small(example: Case) throws {
        let worlds = try HiddenDocs.worlds(HiddenDocs.documents[1])
        for change in example.before { guard worlds.make(change) else { return } }
        let follower = TwoWorldsFollower(example.target, worlds)
        follower.mark()
        for change in example.after { guard worlds.make(change) else { return } }
        for found in follower.differences(limit: example.limit) { Issue.record("\(found)") }
    }
}
