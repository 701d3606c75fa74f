import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore

extension ServedStore {
    /// Reads the reply to an earlier request, for a repeat: as it was recorded, with the present version of the
    /// store. If the store has another epoch, the reply's tags and versions get that epoch, too: the numbers of data
    /// that the store still has are the same.
    ///
    /// - Throws: ``RequestFault`` `.failed` when it can't be read.
    func repeated(_ record: [UInt8]) throws(RequestFault) -> WriteReply {
        let json = RequestScratch.current.reply
        var reply = try ReplyRecord.reply(in: record, json: json)
        reply.isRepeat = true
        let (former, present) = (reply.version, store.version)
        reply.version = present
        if former.epoch == present.epoch { return reply }
        reply.etag?.epoch = present.epoch
        func quoted(_ epoch: UInt64) -> [UInt8] {
            let tag = StoreVersion(epoch: epoch, number: 0).description.dropLast()
            return Array("\"$version\":\"\(tag)".utf8)
        }
        // No property and no key of a map begins with `$`.
        let text = json.array.replacing(quoted(former.epoch), with: quoted(present.epoch))
        json.removeAll()
        json.append(text)
        if reply.hasJSON, reply.isDocument { try Self.renewVersions(in: json, to: present.epoch) }
        return reply
    }

    /// Gives a document about several objects another epoch, in its `version` and in the `etag` of each result. The
    /// objects stay as they are: they may have properties of these names.
    private static func renewVersions(in json: ByteBuffer, to epoch: UInt64) throws(RequestFault) {
        let parser = JSONParser()
        guard let document = try? parser.parse(json.bytes, depthMax: replyDepthMax) else {
            throw .unreadableIdempotencyRecord
        }
        func copy(_ value: JSONValue, renewing name: StaticString, to writer: JSONWriter) {
            writer.object { object in
                for member in value.members {
                    let own = object.member(named: String(decoding: member.name, as: UTF8.self))
                    if member.isNamed("results") {
                        own.array(of: member.value.elements) { copy($0, renewing: "etag", to: $1) }
                        continue
                    }
                    let text = member.isNamed(name) ? member.value.string : nil
                    guard var version = text.flatMap({ StoreVersion(text: $0) }) else {
                        own.copy(member.value)
                        continue
                    }
                    version.epoch = epoch
                    own.string(version.description)
                }
            }
        }
        // The parser has its own copy of the text.
        json.removeAll()
        withExtendedLifetime(parser) { copy(document, renewing: "version", to: JSONWriter(json)) }
    }

    /// The maximum depth of a reply: objects as deep as a body, within linking objects and the reply's own arrays.
    static let replyDepthMax = 512

    /// Restricts the reply to a repeat to the present visibility of the one created object: its URL, version and, unless a
    /// minimal reply is wanted, JSON. Other objects are not shown. Callers that may read everything get the recorded reply.
    package func show(
        _ reply: inout WriteReply, to caller: Caller, _ form: ReplyForm
    ) throws(RequestFault) {
        guard caller.visibility != nil else { return }
        if !reply.hasNoObjects {
            // It was recorded for a caller that could read everything then.
            (reply.hasJSON, reply.etag, reply.isMinimal) = (false, nil, true)
        }
        guard let path = reply.created else { return }
        reply.created = nil
        guard path.element == nil else { return }
        let (name, key) = (ByteBuffer(capacity: 64), ByteBuffer(capacity: 64))
        name.append(path.projection ?? path.className)
        let writer = JSONWriter(key)
        switch path.key {
        case .null: writer.null()
        case .number(let text): key.append(text)
        case .text(let text): writer.string(text)
        }
        let object = ObjectRead(
            ObjectAddress(name.bytes, .json(key.bytes), of: key),
            isProjected: path.projection != nil, for: caller, form: form)
        let found: ObjectRead.Reply
        do throws(RequestFault) {
            found = try withRead(for: caller) { read throws(RequestFault) in
                try object.reply(read, self)
            }
        } catch {
            if error.kind == .notFound { return }
            throw error
        }
        withExtendedLifetime(name) {}
        reply.created = path
        reply.version = found.version
        reply.etag = found.etag
        reply.isMinimal = form.isMinimal
        reply.hasJSON = !form.isMinimal
        reply.quotesLargeInts = form.quotesLargeInts
    }
}
