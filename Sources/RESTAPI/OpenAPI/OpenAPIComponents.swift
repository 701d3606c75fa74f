import JSON
import ObjectJSON
import StoreService

/// Writes what belongs to no class: shared schemas, parameters, headers and the replies to what can't be
/// done.
struct OpenAPIComponents {
    /// Objects of a page at most.
    let pageObjectCountMax: Int
    /// Objects of a page when the request does not say.
    let pageObjectCountDefault: Int

    /// The names of the shared schemas.
    static let schemaNames = (schemas + transactionSchemas).map { "\($0.name)" }

    /// Adds the shared schemas.
    func writeSchemas(to object: inout JSONObjectWriter) {
        for schema in Self.schemas + Self.transactionSchemas {
            object.member(schema.name).raw(schema.text)
        }
    }

    /// Adds the shared parameters.
    func writeParameters(to object: inout JSONObjectWriter) {
        for parameter in Self.parameters { object.member(parameter.name).raw(parameter.text) }
        func add(
            _ component: StaticString, _ name: String, _ description: String, minimum: UInt64,
            default value: Int
        ) {
            object.member(component).object { limit in
                limit.member("name").string(name)
                limit.member("in").string("query")
                limit.member("description").string(description)
                limit.member("schema").object { schema in
                    schema.member("type").string("integer")
                    schema.member("minimum").uint(minimum)
                    schema.member("maximum").int(Int64(pageObjectCountMax))
                    schema.member("default").int(Int64(value))
                }
            }
        }
        add(
            "Limit", "limit", "How many objects a page has at most.", minimum: 1,
            default: pageObjectCountDefault)
        add(
            "SectionLimit", "limit", "How many sections a page has at most.", minimum: 1,
            default: pageObjectCountDefault)
        add(
            "SectionObjects", "objects", "How many objects of each section are shown at most.",
            minimum: 0, default: min(CheckedSections.objectCountDefault, pageObjectCountMax))
    }

    /// Adds the shared headers.
    func writeHeaders(to object: inout JSONObjectWriter) {
        for header in Self.headers { object.member(header.name).raw(header.text) }
    }

    /// Adds the replies to what can't be done.
    func writeResponses(to object: inout JSONObjectWriter) {
        for problem in OpenAPIProblem.allCases {
            object.member(named: problem.name).object { response in
                response.member("description").text(problem.summary)
                response.member("content").raw(
                    ##"{"application/problem+json":{"schema":{"$ref":"#/components/schemas/HoldfastProblem"}}}"##
                )
            }
        }
    }

    /// A component, its value as JSON.
    struct Component {
        let name: StaticString
        let text: StaticString

        init(_ name: StaticString, _ text: StaticString) {
            self.name = name
            self.text = text
        }
    }

    private static let schemas: [Component] = [
        Component(
            "HoldfastVersion",
            ##"{"type":"string","description":"A version of the store.","pattern":"^[0-9a-z]{8}-[0-9]{1,20}$"}"##
        ),
        Component(
            "HoldfastDouble",
            ##"""
            {"description":"A binary64 number; NaN and the infinities are strings.",
            "oneOf":[{"type":"number","format":"double"},
            {"type":"string","enum":["NaN","Infinity","-Infinity"]}]}
            """##),
        Component(
            "HoldfastFloat",
            ##"""
            {"description":"A binary32 number; NaN and the infinities are strings.",
            "oneOf":[{"type":"number","format":"float"},
            {"type":"string","enum":["NaN","Infinity","-Infinity"]}]}
            """##),
        Component(
            "HoldfastLink",
            ##"""
            {"type":"object","description":"A link with the class of its target.","required":["$link"],
            "additionalProperties":false,"properties":{"$link":{"type":"object",
            "required":["class","id"],"additionalProperties":false,"properties":{
            "class":{"type":"string"},
            "id":{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}}}}}
            """##),
        Component(
            "HoldfastQuery",
            ##"""
            {"type":"object","description":"A query; every member is optional.",
            "additionalProperties":false,"properties":{
            "filter":{"type":"string","description":"The condition, in Realm's query language."},
            "args":{"type":"array","items":{},"description":"The values of `$0`, `$1`…"},
            "sort":{"$ref":"#/components/schemas/HoldfastNames"},
            "distinct":{"$ref":"#/components/schemas/HoldfastNames"},
            "limit":{"type":"integer","minimum":1},"cursor":{"type":"string"},
            "fields":{"$ref":"#/components/schemas/HoldfastNames"},
            "expand":{"$ref":"#/components/schemas/HoldfastNames"},
            "count":{"type":"string","enum":["none","exact"]},"explain":{"type":"boolean"},
            "geometry":{"type":"string","description":"The path to the point; for GeoJSON."}}}
            """##),
        Component(
            "HoldfastNames",
            ##"""
            {"description":"Names or paths with commas between them, or an array of them.",
            "oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}
            """##),
        Component(
            "HoldfastFeatures",
            ##"""
            {"type":"object","description":"A page of objects as GeoJSON (RFC 7946): each a Feature with its key, its point and its other properties.",
            "required":["type","features"],"properties":{"type":{"type":"string"},
            "features":{"type":"array","items":{"type":"object","required":["type","geometry","properties"],
            "properties":{"type":{"type":"string"},"id":{"oneOf":[{"type":"string"},{"type":"integer"}]},
            "geometry":{"type":["object","null"]},"properties":{"type":"object"}}}},
            "next":{"type":"string"},"count":{"type":"integer","minimum":0},
            "explain":{"$ref":"#/components/schemas/HoldfastExplanation"}}}
            """##),
        Component(
            "HoldfastAggregate",
            ##"""
            {"type":"object","description":"A member for each operation, as it is written in `op`; or `groups`, which have them each.",
            "properties":{"groups":{"type":"array","items":{"$ref":"#/components/schemas/HoldfastGroup"}},
            "next":{"type":"string"},"explain":{"$ref":"#/components/schemas/HoldfastExplanation"}}}
            """##),
        Component(
            "HoldfastGroup",
            ##"""
            {"type":"object","description":"What came of the objects with the same values: a member for each operation.",
            "required":["by"],"properties":{"by":{"type":"object","description":"The values, by path."}}}
            """##),
        Component(
            "HoldfastExplanation",
            ##"""
            {"type":"object","description":"How a query was run.",
            "required":["plan","indexes","rowsRead","rowsReturned","steps"],"properties":{
            "plan":{"type":"string"},"indexes":{"type":"array","items":{"type":"string"}},
            "rowsRead":{"type":"integer"},"entriesRead":{"type":"integer"},
            "rowsReturned":{"type":"integer"},"steps":{"type":"array","items":{"type":"object",
            "required":["name","rows","microseconds"],"properties":{"name":{"type":"string"},
            "rows":{"type":"integer"},"microseconds":{"type":"integer"}}}}}}
            """##),
        Component(
            "HoldfastImportReport",
            ##"""
            {"type":"object","description":"How many lines an import took, and the first faults.",
            "required":["imported","failed","errors","version"],"properties":{
            "imported":{"type":"integer"},"failed":{"type":"integer"},"ignored":{"type":"integer"},
            "errors":{"type":"array","items":{"type":"object","required":["line","code","detail"],
            "properties":{"line":{"type":"integer"},"code":{"type":"string"},
            "detail":{"type":"string"},"pointer":{"type":"string"},"column":{"type":"integer"},
            "hint":{"type":"string"}}}},
            "version":{"$ref":"#/components/schemas/HoldfastVersion"}}}
            """##),
        Component(
            "HoldfastAffected",
            ##"""
            {"type":"object","description":"How many objects matched, and were changed or deleted.",
            "required":["affected","version"],"properties":{
            "affected":{"type":"integer","minimum":0},
            "version":{"$ref":"#/components/schemas/HoldfastVersion"}}}
            """##),
        // In two parts, because openapi-python-client would make a `list[…]` of a plain array, and ask of
        // every body whether it is one, which Python refuses for merge patches too.
        Component(
            "HoldfastJSONPatch",
            ##"""
            {"description":"The operations of RFC 6902, in their order.",
            "allOf":[{"type":"array"},{"items":{"type":"object","required":["op","path"],"properties":{
            "op":{"type":"string","enum":["add","remove","replace","move","copy","test"]},
            "path":{"type":"string","description":"A JSON pointer into the object."},
            "from":{"type":"string","description":"Of `move` and `copy`: where the value comes from."},
            "value":{"description":"Of `add`, `replace` and `test`."}}}}]}
            """##),
        Component(
            "HoldfastProblem",
            ##"""
            {"type":"object","description":"An error (RFC 9457). Clients switch on `status` and `code`.",
            "required":["type","title","status","code","detail"],"properties":{
            "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},
            "code":{"type":"string"},"detail":{"type":"string"},
            "errors":{"type":"array","items":{"$ref":"#/components/schemas/HoldfastFault"}},
            "current":{"type":"object","description":"Of a failed precondition, the object as it is.",
            "required":["etag","object"],"properties":{
            "etag":{"$ref":"#/components/schemas/HoldfastVersion"},"object":{"type":"object"}}}}}
            """##),
        Component(
            "HoldfastFault",
            ##"""
            {"type":"object","description":"One fault of a request.","required":["code","detail"],
            "properties":{"code":{"type":"string"},"detail":{"type":"string"},
            "pointer":{"type":"string"},"parameter":{"type":"string"},"column":{"type":"integer"},
            "hint":{"type":"string"}}}
            """##),
    ]

    private static let parameters: [Component] = [
        Component(
            "Filter",
            ##"{"name":"filter","in":"query","description":"The condition, in Realm's query language. `$0`, `$1`… stand for arguments.","schema":{"type":"string"}}"##
        ),
        Component(
            "Arg",
            ##"{"name":"arg","in":"query","description":"An argument of the filter, as JSON. May be repeated; `arg` and `text` number together in the order in which they stand.","explode":true,"schema":{"type":"array","items":{"type":"string"}}}"##
        ),
        Component(
            "Text",
            ##"{"name":"text","in":"query","description":"An argument of the filter, a string as it stands. May be repeated.","explode":true,"schema":{"type":"array","items":{"type":"string"}}}"##
        ),
        Component(
            "Operations",
            ##"{"name":"op","in":"query","description":"What is asked, with commas between: `count`, `min(path)`, `max(path)`, `sum(path)`, `avg(path)`. Without it: `count`.","schema":{"type":"string","minLength":1}}"##
        ),
        Component(
            "By",
            ##"{"name":"by","in":"query","description":"What the objects of a group have in common, paths with commas between them.","schema":{"type":"string","minLength":1}}"##
        ),
        Component(
            "SectionBy",
            ##"{"name":"by","in":"query","required":true,"description":"What the objects of a section have in common: a path to one value, or `prefix(path,n)`, the first characters of a string.","schema":{"type":"string","minLength":1}}"##
        ),
        Component(
            "SectionCount",
            ##"{"name":"count","in":"query","description":"`exact` adds how many sections there are in all.","schema":{"type":"string","enum":["none","exact"]}}"##
        ),
        Component(
            "Sort",
            ##"{"name":"sort","in":"query","description":"Property paths with commas between them, `-` before one for descending order.","schema":{"type":"string"}}"##
        ),
        Component(
            "Distinct",
            ##"{"name":"distinct","in":"query","description":"Property paths with commas between them; of objects that agree in all of them the first is returned.","schema":{"type":"string"}}"##
        ),
        Component(
            "Cursor",
            ##"{"name":"cursor","in":"query","description":"Where to go on: `next` of the page before. It belongs to its query.","schema":{"type":"string"}}"##
        ),
        Component(
            "Fields",
            ##"{"name":"fields","in":"query","description":"Which properties a reply holds, with commas between them: `*` is every stored one; `$id`, `$version` and inverse links are named beside it.","schema":{"type":"string"}}"##
        ),
        Component(
            "ProjectedFields",
            ##"{"name":"fields","in":"query","description":"Which projected properties a reply holds, with commas between them: `*` is all of them; `$id` and `$version` are named beside it.","schema":{"type":"string"}}"##
        ),
        Component(
            "ShownBy",
            ##"{"name":"projection","in":"query","description":"A projection of the class whose objects the property holds; it shows them.","schema":{"type":"string"}}"##
        ),
        Component(
            "ShownByRequired",
            ##"{"name":"projection","in":"query","required":true,"description":"A projection of the class whose objects the property holds; the body uses its names.","schema":{"type":"string","minLength":1}}"##
        ),
        Component(
            "Expand",
            ##"{"name":"expand","in":"query","description":"Links and inverse links, with commas between them, whose objects stand in the reply instead of their keys.","schema":{"type":"string"}}"##
        ),
        Component(
            "Count",
            ##"{"name":"count","in":"query","description":"`exact` adds how many objects match in all.","schema":{"type":"string","enum":["none","exact"]}}"##
        ),
        Component(
            "Explain",
            ##"{"name":"explain","in":"query","description":"Adds how the query was run and what it read.","schema":{"type":"boolean"}}"##
        ),
        Component(
            "Geometry",
            ##"{"name":"geometry","in":"query","description":"For GeoJSON (`Accept: application/geo+json`), the path to the geographic point of an object; left out, it is the only one of the class.","schema":{"type":"string","minLength":1}}"##
        ),
        Component(
            "MinVersion",
            ##"{"name":"minVersion","in":"query","description":"The version that the reply has to have seen, such as the `Holdfast-Version` of an own write.","schema":{"$ref":"#/components/schemas/HoldfastVersion"}}"##
        ),
        Component(
            "Mode",
            ##"{"name":"mode","in":"query","description":"What to do with an object that is there already: refuse it, merge what is stated into it, replace it, or leave it.","schema":{"type":"string","enum":["create","merge","replace","ignore"],"default":"create"}}"##
        ),
        Component(
            "All",
            ##"{"name":"all","in":"query","description":"Without a filter, `true` says that every object of the class is meant.","schema":{"type":"boolean"}}"##
        ),
        Component(
            "Atomic",
            ##"{"name":"atomic","in":"query","description":"All lines or none, in one transaction.","schema":{"type":"boolean"}}"##
        ),
        Component(
            "At",
            ##"{"name":"at","in":"query","description":"The position in a list that the element gets; its end without one.","schema":{"type":"integer","minimum":0}}"##
        ),
        Component(
            "EntryKey",
            ##"{"name":"key","in":"query","required":true,"description":"The key of a map's entry, a JSON string.","schema":{"type":"string","minLength":2},"example":"\"a/b\""}"##
        ),
        Component(
            "EntryKeyToRemove",
            ##"{"name":"key","in":"query","description":"The key of a map's entry, a JSON string.","schema":{"type":"string","minLength":2}}"##
        ),
        Component(
            "ElementValue",
            ##"{"name":"value","in":"query","description":"A value of the collection, as JSON.","schema":{"type":"string","minLength":1}}"##
        ),
        Component(
            "Upsert",
            ##"{"name":"upsert","in":"query","description":"Create the object when it is not there; for merge patches.","schema":{"type":"boolean"}}"##
        ),
        Component(
            "Since",
            ##"{"name":"since","in":"query","description":"Where to begin: a cursor, `now`, or `start`, which gives the current matches first.","schema":{"type":"string","default":"now"}}"##
        ),
        Component(
            "OutboxSince",
            ##"{"name":"since","in":"query","description":"Behind which object to begin: the `through` of a page; left out, with the oldest that nobody has acknowledged.","schema":{"type":"string"}}"##
        ),
        Component(
            "Through",
            ##"{"name":"through","in":"query","required":true,"description":"Up to where the outbox was consumed: the `through` of a page, or the id of an event.","schema":{"type":"string"}}"##
        ),
        Component(
            "PreferOutbox",
            ##"{"name":"Prefer","in":"header","description":"`wait=25` waits up to so many seconds for the first object, in the JSON mode.","schema":{"type":"string"}}"##
        ),
        Component(
            "LastEventID",
            ##"{"name":"Last-Event-ID","in":"header","description":"The id of the last event that was received; beats `since`.","schema":{"type":"string"}}"##
        ),
        Component(
            "IfMatch",
            ##"{"name":"If-Match","in":"header","description":"Go on only if the stored ETag is one of these, or `*` for any.","schema":{"type":"string"}}"##
        ),
        Component(
            "IfNoneMatchRead",
            ##"{"name":"If-None-Match","in":"header","description":"Answer 304 when the stored ETag is one of these.","schema":{"type":"string"}}"##
        ),
        Component(
            "IfNoneMatchWrite",
            ##"{"name":"If-None-Match","in":"header","description":"`*`: write only if the object is not there.","schema":{"type":"string"}}"##
        ),
        Component(
            "PreferWrite",
            ##"{"name":"Prefer","in":"header","description":"`return=minimal` leaves the object out of the reply.","schema":{"type":"string"}}"##
        ),
        Component(
            "PreferBulk",
            ##"{"name":"Prefer","in":"header","description":"`max-affected=10` refuses a change of more objects.","schema":{"type":"string"}}"##
        ),
        Component(
            "IdempotencyKey",
            ##"{"name":"Idempotency-Key","in":"header","description":"A text of the client's own, such as a fresh UUID: a repeat of the request with it gets the reply that is kept, for 24 hours, and writes nothing.","schema":{"type":"string","minLength":1,"maxLength":255,"pattern":"^[ -~]+$"}}"##
        ),
        Component(
            "PreferChanges",
            ##"{"name":"Prefer","in":"header","description":"`wait=25` waits up to so many seconds for the first change, in the JSON mode.","schema":{"type":"string"}}"##
        ),
    ]

    private static let headers: [Component] = [
        Component(
            "ETag",
            ##"{"description":"The version that last changed the object, in quotes.","schema":{"type":"string"}}"##
        ),
        Component(
            "Holdfast-Version",
            ##"{"description":"The version of the transaction, or of what was read.","schema":{"$ref":"#/components/schemas/HoldfastVersion"}}"##
        ),
        Component(
            "Idempotency-Replayed",
            ##"{"description":"`true`: this is the reply to an earlier request with the same Idempotency-Key.","schema":{"type":"string","const":"true"}}"##
        ),
        Component(
            "Location",
            ##"{"description":"The path of the object.","schema":{"type":"string","format":"uri-reference"}}"##
        ),
        Component(
            "Link",
            ##"{"description":"The next page, as `<…>; rel=\"next\"`; left out on the last one.","schema":{"type":"string"}}"##
        ),
    ]
}
