import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// Bodies above so many bytes are read by a worker, since that holds up a connection's thread.
    static let inlineBodyByteCountMax = 64 << 10
    /// Replies of more objects are written by a worker.
    static let inlineObjectCountMax = 64

    /// Takes in a write of one object that the request names: `putObject`, `patchObject` and the same by
    /// key.
    func writeObject(
        _ request: Request, _ source: KeySource, mode: WriteMode, isMerge: Bool,
        precondition: Precondition, preferences: Preferences
    ) -> Outcome {
        takeIn(
            request, mode: mode, preferences: preferences, isArray: false,
            .named(request, source, isMerge: isMerge, precondition))
    }

    /// Reads the object that a request names and has as its body.
    ///
    /// - Throws: ``RequestFault`` with every fault of the body.
    func readNamed(
        _ request: Request, _ source: KeySource, isMerge: Bool, _ precondition: Precondition,
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectWrite.Item {
        let target = try self.target(request, source, names, scratch)
        let json = try self.served.json(request.body, scratch.parser)
        let reader = scratch.reader
        reader.reset()
        let reading = reader.read(
            json, as: target.rowClass, names: names, isMerge: isMerge, key: target.key)
        guard let reading else { throw reader.problem() }
        return ObjectWrite.Item(
            draft: reading.draft, objectKey: target.objectKey,
            precondition: precondition.with(version: reading.version))
    }

    /// Reads the body, hands the write in and answers when it is durable.
    func takeIn(
        _ request: Request, mode: WriteMode, preferences: Preferences, isArray: Bool,
        _ preparation: ObjectWrite.Preparation
    ) -> Outcome {
        guard request.body.count > Self.inlineBodyByteCountMax else {
            return answering { () throws(RequestFault) in
                try begin(request, mode, preferences, isArray: isArray, preparation)
            }
        }
        return reading(request) { () throws(RequestFault) in
            try self.begin(request, mode, preferences, isArray: isArray, preparation)
        }
    }

    private func begin(
        _ request: Request, _ mode: WriteMode, _ preferences: Preferences, isArray: Bool,
        _ preparation: ObjectWrite.Preparation
    ) throws(RequestFault) -> Outcome {
        try once(request) { claim throws(RequestFault) in
            let write = try ObjectWrite(
                self, mode: mode, preferences: preferences, isArray: isArray, claim, preparation)
            return .later(write.start)
        }
    }

    /// The reply to the write of one object, of which `bytes` is the row; links lead to what `view` shows,
    /// else to the last commit.
    func reply(
        to written: ObjectWrite.OneWritten, _ bytes: ByteBuffer, _ version: StoreVersion,
        _ preferences: Preferences, in view: ReadTransaction? = nil
    ) throws(RequestFault) -> Response {
        guard let row = RowView(bytes.bytes) else { return Response(204) }
        let scratch = RequestScratch.current
        var body: HTTPServer.Bytes?
        if !preferences.isMinimal {
            let names = scratch.names(of: written.schema, served)
            let selection = names.classes[written.classIndex].everything
            body = try document(
                names, followsLinks: selection.followsLinks || row.holdsOutside, preferences,
                in: view
            ) { $0.write(copy: row, key: written.key, selection) }
        }
        var response =
            body.map { Response(written.isCreated ? 201 : 200, .json, $0) }
            ?? Response(written.isCreated ? 201 : 204)
        // What can't be read has no place to be read at, and no version to compare.
        let isAsymmetric = written.schema.classes[written.classIndex].isAsymmetric
        if !isAsymmetric {
            response.headers.addETag(StoreVersion(epoch: version.epoch, number: row.version))
        }
        response.headers.addStoreVersion(version)
        if written.isCreated, !isAsymmetric {
            let text = scratch.text
            text.removeAll()
            ObjectPath.append(
                written.schema.classes[written.classIndex], row, key: written.key, to: text)
            // Nobody could ask for a longer one, and no header has room for a key of megabytes.
            if text.count <= options.targetByteCountMax {
                text.bytes.withMemoryRebound(to: UInt8.self) { response.headers.add(.location, $0) }
            }
        }
        if let applied = preferences.applied(minimal: body == nil) {
            response.headers.add(.preferenceApplied, applied)
        }
        return response
    }

    /// The reply to the write of an array of objects, without them when they would be too much.
    func reply(
        toMany written: [ObjectWrite.Written], _ version: StoreVersion, _ preferences: Preferences,
        in view: ReadTransaction? = nil
    ) throws(RequestFault) -> Response {
        let hasCreated = written.contains(where: \.isCreated)
        var body: HTTPServer.Bytes?
        if !preferences.isMinimal, written.isEmpty || written.contains(where: { $0.object != nil })
        {
            let objects = written.compactMap(\.object)
            let names = RequestScratch.current.names(
                of: objects.first?.schema ?? store.catalog.rows, served)
            let followsLinks = objects.contains {
                names.classes[$0.classIndex].everything.followsLinks || $0.holdsOutside
            }
            body = try document(
                names, followsLinks: followsLinks, preferences, in: view
            ) { writer in
                writer.json.raw("{\"objects\":")
                writer.array { writer, isFirst in
                    for object in objects {
                        writer.separate(&isFirst)
                        writer.write(object)
                    }
                }
                writer.json.raw(",\"version\":")
                writer.json.string(version.description)
                writer.json.raw("}")
            }
        }
        var response =
            body.map { Response(hasCreated ? 201 : 200, .json, $0) }
            ?? Response(hasCreated ? 201 : 204)
        response.headers.addStoreVersion(version)
        if let applied = preferences.applied(minimal: body == nil) {
            response.headers.add(.preferenceApplied, applied)
        }
        return response
    }

    /// Writes copied objects as a document. Links are looked up in `view`, else in a fresh view, since the
    /// keys of their targets never change.
    ///
    /// - Returns: Nil when the document would have more bytes than a query's memory: what was written is
    ///   written, and cannot be refused any more.
    func document(
        _ names: SchemaNames, followsLinks: Bool, _ preferences: Preferences,
        in view: ReadTransaction?, _ body: (inout ObjectWriter) -> Void
    ) throws(RequestFault) -> HTTPServer.Bytes? {
        let scratch = RequestScratch.current
        scratch.reply.removeAll()
        var isWhole = true
        func write(_ read: ReadTransaction?, _ linkKeys: LinkKeyCache?) {
            var writer = ObjectWriter(
                scratch.reply, names: names, read: read, epoch: store.epoch)
            writer.linkKeys = linkKeys
            writer.quotesLargeInts = preferences.quotesLargeInts
            writer.limitCollections(served.limits)
            writer.byteCountMax = served.limits.queryMemoryByteCountMax
            body(&writer)
            isWhole = !writer.isTruncated
        }
        if let view {
            // What it shows may be taken back, and its keys used again: nothing is remembered.
            write(view, nil)
        } else {
            try served.withLinks(followsLinks) { read in write(read, scratch.linkKeys) }
        }
        let reply = scratch.takeReply()
        return isWhole ? reply : nil
    }

    /// The problem of a failed write, with the place of the object in the body's array.
    func problem(_ error: StoreError, at position: Int?) -> RequestFault {
        func place(_ source: Int) -> JSONPointer {
            position == nil ? JSONPointer() : JSONPointer().appending(index: source)
        }
        switch error {
        case .danglingLinks(let links): return RequestFault(dangling: links, at: place)
        case .notUnique(let violations): return RequestFault(notUnique: violations, at: place)
        default: break
        }
        var problem = served.fault(error)
        guard let position else { return problem }
        let pointer = JSONPointer().appending(index: position).description
        if problem.errors.isEmpty, problem.kind.isOfRequest {
            problem.errors = [
                RequestFault.Entry(code: problem.code, detail: problem.detail, pointer: pointer)
            ]
        } else {
            for index in problem.errors.indices {
                problem.errors[index].pointer = pointer + (problem.errors[index].pointer ?? "")
            }
        }
        return problem
    }
}
