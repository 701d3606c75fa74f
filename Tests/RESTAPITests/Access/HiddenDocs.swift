import HoldfastTestSupport
import Testing

/// Documents of which ann sees the same in two worlds, and to which other hidden links lead in each.
///
/// She sees 1 to 6, which are public, her own, 10 to 12, and by the third role 7 of her team. Of the public ones she does not see `secret`,
/// `secrets`, `note` and `part`. Hidden are 90 to 92, `Vault`, the ghosts' team, and of `Reading` the notes and what other devices wrote.
enum HiddenDocs {
    static let schema = """
        {"classes":[
          {"name":"Team","primaryKey":"id","properties":{"id":"string","name":"string","members":"Person<>","lead":"Person"}},
          {"name":"Person","primaryKey":"id","properties":{"id":"string","team":"Team","on":"bool"}},
          {"name":"Part","kind":"embedded","properties":{"label":"string","to":"Doc"}},
          {"name":"Doc","primaryKey":"id","properties":{"id":"int","n":"int","title":{"type":"string","indexed":"fulltext"},
            "owner":{"type":"string","optional":true,"indexed":true},"public":{"type":"bool","indexed":true},"team":"Team",
            "secret":"Doc","secrets":"Doc[]","note":"string?","part":"Part","ref":"Doc","refs":"Doc[]","others":"Doc<>",
            "named":"Doc{}","free":"mixed","parts":"Part[]",
            "back":{"type":"linkingObjects","class":"Doc","property":"refs"},
            "behind":{"type":"linkingObjects","class":"Doc","property":"ref"}}},
          {"name":"Vault","primaryKey":"id","properties":{"id":"int","tick":"int","doc":"Doc","docs":"Doc[]"}},
          {"name":"Reading","kind":"asymmetric","properties":{"device":"string","doc":"Doc","note":"string?","value":"int"}}
        ]}
        """

    private static let hidden =
        #""properties":{"secret":"none","secrets":"none","note":"none","part":"none"}"#
    private static let own =
        #"{"read":"owner == $user.id","create":"owner == $user.id","update":"owner == $user.id"}"#

    private static let readings =
        #""Reading":{"read":"device == $user.id","delete":"device == $user.id","properties":{"note":"none"}}"#

    /// By how many roles there are of the class.
    static let documents = [
        """
        {"roles":{"all":{"classes":{"Doc":{"read":"public == true OR owner == $user.id","create":"owner == $user.id",
          "update":"owner == $user.id",\(hidden)},\(readings)}}}}
        """,
        """
        {"roles":{"all":{"classes":{"Doc":{"read":"public == true",\(hidden)}}},"own":{"classes":{"Doc":\(own),\(readings)}}}}
        """,
        """
        {"users":"Person","roles":{"all":{"for":"anyone","classes":{"Doc":{"read":"public == true AND n < 50",\(hidden)}}},
          "own":{"classes":{"Doc":\(own),"Person":{"read":"id == $user.id"},\(readings)}},
          "team":{"classes":{"Doc":{"read":"ANY team.members == $user.id","properties":{"note":"none"}},
            "Team":{"read":"ANY members == $user.id"},
            "Person":{"read":"team != null AND team.name != 'ghosts'"}}}}}
        """,
        """
        {"users":"Person","roles":{"all":{"classes":{"Doc":{"read":"public == true",\(hidden)}}},
          "own":{"classes":{"Doc":\(own),\(readings)}},
          "staff":{"when":"$user.object.on == true AND $user.object.team.name != 'ghosts'","classes":{"Doc":{"read":"n >= 60 AND n < 70",\(hidden)}}}}}
        """,
    ]

    /// What each world begins with, by world where they differ.
    private static let contents: [(String, [String])] = [
        ("Team", [#"[{"id":"red","name":"red"},{"id":"gh","name":"ghosts"}]"#]),
        (
            "Person",
            [
                #"[{"id":"ann","team":"red","on":true},{"id":"zed","team":"gh"},{"id":"yan","team":"gh"}]"#
            ]
        ),
        (
            "Doc",
            [
                #"[{"id":10,"owner":"ann"},{"id":11,"owner":"ann"},{"id":12,"owner":"ann","ref":10,"refs":[11]}]"#
            ]
        ),
        (
            "Doc",
            [
                """
                [{"id":90,"title":"a","refs":[3],"secret":12,"ref":11},{"id":91,"title":"b","refs":[91,5]},{"id":92},
                 {"id":1,"public":true,"title":"t","secret":11,"secrets":[11],"part":{"to":11},"note":"x","ref":90,"refs":[2,90,3],
                  "others":[2,90],"named":{"a":2,"b":90},"parts":[{"label":"p","to":90}],"free":{"$link":{"class":"Doc","id":90}}},
                 {"id":2,"public":true,"title":"t","ref":3},{"id":3,"public":true,"title":"u"},
                 {"id":4,"public":true,"refs":[4,5]},{"id":5,"public":true,"secrets":[1]},{"id":6,"public":true},
                 {"id":7,"team":"red","title":"t","ref":1}]
                """,
                """
                [{"id":90,"title":"c","refs":[5,1],"ref":2},{"id":91,"title":"d","refs":[6],"secret":10},{"id":92},
                 {"id":1,"public":true,"title":"t","secret":10,"secrets":[2,10],"part":{"to":12},"note":"y","ref":91,"refs":[2,91,3],
                  "others":[2,91],"named":{"a":2,"b":91},"parts":[{"label":"p","to":91}],"free":{"$link":{"class":"Doc","id":91}}},
                 {"id":2,"public":true,"title":"t","ref":3,"secret":11},{"id":3,"public":true,"title":"u","secret":12},
                 {"id":4,"public":true,"refs":[4,5]},{"id":5,"public":true},{"id":6,"public":true,"part":{"to":10}},
                 {"id":7,"team":"red","title":"t","ref":1}]
                """,
            ]
        ),
        ("Vault", [#"[{"id":1,"doc":2,"docs":[4]}]"#, #"[{"id":1,"doc":3,"docs":[5,6]}]"#]),
    ]

    /// What becomes of them, step by step.
    static let changes: [TwoWorlds.Change] = {
        typealias Write = TwoWorlds.Write
        func doc(_ key: Int, _ body: String) -> Write {
            Write("PATCH", "/classes/Doc/objects/\(key)", body)
        }
        return [
            .init(
                "her own, to which nothing or hidden links lead", doc(10, #"{"n":5}"#), isOwn: true),
            .init("her own, to which hidden links lead", doc(11, #"{"n":6}"#), isOwn: true),
            .init("her own, to which hidden objects lead", doc(12, #"{"n":7}"#), isOwn: true),
            .init("links of her own", doc(11, #"{"refs":[10]}"#), isOwn: true),
            .init(
                "a value of a hidden one", doc(90, #"{"title":"x"}"#), doc(91, #"{"title":"x"}"#)),
            .init("links of a hidden one", doc(90, #"{"refs":[4]}"#), doc(91, #"{"refs":[2,10]}"#)),
            .init(
                "a link of a hidden one", doc(91, #"{"ref":5,"secret":6}"#), doc(92, #"{"ref":11}"#)
            ),
            .init(
                "a hidden one goes", Write("DELETE", "/classes/Doc/objects/91"),
                Write("DELETE", "/classes/Doc/objects/92")),
            .init(
                "a hidden one comes",
                Write("POST", "/classes/Doc/objects", #"{"id":93,"refs":[1,2],"ref":12}"#),
                Write("POST", "/classes/Doc/objects", #"{"id":93,"title":"x","refs":[6]}"#)),
            .init(
                "one of a hidden class",
                Write("PATCH", "/classes/Vault/objects/1", #"{"doc":1,"docs":[5,2]}"#),
                Write("PATCH", "/classes/Vault/objects/1", #"{"doc":12}"#)),
            .init(
                "one of a hidden class comes",
                Write("POST", "/classes/Vault/objects", #"{"id":2,"doc":4}"#),
                Write("POST", "/classes/Vault/objects", #"{"id":2,"docs":[3,11]}"#)),
            .init("one of a hidden class goes", Write("DELETE", "/classes/Vault/objects/2")),
            .init(
                "hidden values of a public one",
                doc(2, #"{"note":"y","secrets":[10],"part":{"to":12}}"#),
                doc(2, #"{"note":"x","secret":5,"part":{"to":4}}"#)),
            .init("hidden links of a public one", doc(5, #"{"ref":90}"#), doc(5, #"{"ref":93}"#)),
            .init(
                "hidden elements of a public one", doc(6, #"{"refs":[93,2]}"#),
                doc(6, #"{"refs":[90,2]}"#)),
            .init("what they lead to", doc(90, #"{"title":"y"}"#), doc(93, #"{"title":"y"}"#)),
            .init(
                "what they lead to leads on", doc(93, #"{"refs":[1]}"#), doc(90, #"{"refs":[3,4]}"#)
            ),
            .init(
                "it goes", Write("DELETE", "/classes/Doc/objects/93"),
                Write("DELETE", "/classes/Doc/objects/90")),
            .init("a public one", doc(3, #"{"title":"x","n":9}"#)),
            .init("a public one goes out of sight", doc(3, #"{"public":false}"#)),
            .init(
                "a public one out of sight", doc(3, #"{"title":"y"}"#),
                doc(3, #"{"n":8,"title":"y"}"#)),
            .init("it comes into sight", doc(3, #"{"public":true,"title":"z","n":1}"#)),
            .init("a link of a public one", doc(2, #"{"ref":5}"#)),
            .init("the links of a public one", doc(1, #"{"refs":[5,2]}"#)),
            .init("other values become visible", doc(4, #"{"owner":"ann","secret":null}"#)),
            .init("they become hidden", doc(4, #"{"owner":null}"#)),
            .init(
                "values that were others become visible",
                doc(
                    6,
                    #"{"owner":"ann","secret":null,"secrets":[],"note":null,"part":null}"#)),
            .init(
                "more of them",
                doc(
                    2,
                    #"{"owner":"ann","secret":5,"secrets":[10],"note":"x","part":{"to":12}}"#)),
            .init("a public one goes", Write("DELETE", "/classes/Doc/objects/2")),
            .init("two of hers", doc(12, #"{"refs":[1,10],"ref":1}"#), isOwn: true),
        ]
    }()

    /// The projections that show them.
    private static let projections = [
        (
            "Card",
            #"{"class":"Doc","properties":{"id":"id","s":"secret.n","c":"secrets.@count","b":"back.@count","bs":"back.@sum.n","v":"note"}}"#
        ),
        (
            "Links",
            #"{"class":"Doc","properties":{"id":"id","r":"ref.title","rs":"refs.title","p":"parts.to.title"}}"#
        ),
    ]

    /// Makes the worlds of a document.
    static func worlds(_ document: String, _ engine: EngineCase = .memory) throws -> TwoWorlds {
        try TwoWorlds(document, user: "ann") { number in
            let server = try RuledServer(engine, classes: []) { $0.heartbeatSeconds = 600 }
            var replies = [server.send("PUT", "/v1/schema", schema)]
            replies += projections.map { server.send("PUT", "/v1/projections/\($0.0)", $0.1) }
            replies += contents.map {
                server.send(
                    "POST", "/v1/classes/\($0.0)/objects", $0.1[min(number, $0.1.count - 1)])
            }
            replies.append(
                server.send("PATCH", "/v1/classes/Team/objects/red", #"{"members":["ann"]}"#))
            for reply in replies { #expect(reply.status < 300, "\(reply.text)") }
            return server
        }
    }
}
