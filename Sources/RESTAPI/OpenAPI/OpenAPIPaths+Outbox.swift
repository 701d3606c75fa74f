import JSON
// The operations on asymmetric classes, whose objects are created, consumed and forgotten.
extension OpenAPIPaths {
    /// Adds the operations on a class of kind `asymmetric`.
    func writeAsymmetric(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        paths.member(named: entry.path + "/objects").object { item in
            add(.createOnly, entry, to: &item, body: { Self.writeNewBody(entry, $0) }) {
                Self.addTaken(entry, to: &$0)
            }
        }
        writeImport(entry, to: &paths)
        paths.member(named: entry.path + "/outbox").object { item in
            add(.outbox, entry, to: &item) { responses in
                responses.reply(
                    "200",
                    "The oldest objects that nobody has acknowledged; as `text/event-stream` "
                        + "events without end."
                ) {
                    $0.object { content in
                        content.add(example: entry.page, types: ["application/json"]) {
                            $0.reference(entry.page, isOptional: false)
                        }
                        content.member("text/event-stream").raw(##"{"schema":{"type":"string"}}"##)
                    }
                }
            }
            add(.acknowledge, entry, to: &item) { Self.addAffected(to: &$0) }
        }
    }

    /// Adds the replies to the creation of objects that can't be read by themselves.
    private static func addTaken(_ entry: OpenAPIClass, to responses: inout JSONObjectWriter) {
        responses.reply(
            "200", "The array was empty.", ["Holdfast-Version", "Idempotency-Replayed"]
        ) {
            $0.content(entry.written, example: nil)
        }
        responses.reply(
            "201", "Created: of one object the reply is the object, of an array `objects`.",
            ["Holdfast-Version", "Idempotency-Replayed"]
        ) {
            $0.content(example: entry.object) {
                addWrittenOrObject(entry, to: &$0)
            }
        }
    }
}
