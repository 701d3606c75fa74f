import HoldfastServiceSupport

// What goes into an outbox, and is taken out of it.
extension WriteRequest.Maker {
    /// Puts something in: as an object, an array or lines, or in a transaction.
    mutating func post() -> WriteRequest {
        let path = "/v1/classes/Mail/objects"
        let drafts = (0..<pick([1, 1, 2])).map { _ in
            (
                key: WriteModel.Key(className: "Mail", id: .random(in: 1...12, using: &random)),
                mail()
            )
        }
        let steps = drafts.map { WriteModel.Step.write($0.key, $0.1, .create) }
        let texts = drafts.map { text($0.1, id: $0.key.id) }
        switch pick([0, 0, 1, 2, 3]) {
        case 0:
            var request = WriteRequest("POST", path, texts[0], [steps[0]])
            request.posted = drafts[0].key
            return request
        case 1:
            return WriteRequest("POST", path, "[\(texts.joined(separator: ","))]", steps)
        case 2:
            let operations = texts.map {
                "{\"op\":\"create\",\"class\":\"Mail\",\"value\":\($0)}"
            }
            return WriteRequest(
                "POST", "/v1/transactions",
                "{\"operations\":[\(operations.joined(separator: ","))]}", steps)
        default:
            return imported(
                "Mail", .create, texts, steps, isAtomic: chance(30), hasHeader: false)
        }
    }

    private mutating func mail() -> WriteModel.Object {
        var draft: WriteModel.Object = [:]
        let all = WriteModel.names(of: "Mail")
        let known = all.filter { model.access.knows($0, of: "Mail") }
        for _ in 0..<pick([0, 1, 2, 3, 4]) {
            let name = chance(92) && !known.isEmpty ? pick(known) : pick(all)
            draft[name] = value(name)
        }
        return draft
    }

    /// Takes out what a page has.
    mutating func acknowledge() -> WriteRequest {
        let count = pick([1, 2, 3, 100])
        var request = WriteRequest(
            "DELETE", "/v1/classes/Mail/outbox", nil, [.acknowledge(count)])
        request.pageCount = count
        return request
    }
}
