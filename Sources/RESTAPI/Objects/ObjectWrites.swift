import Bytes
import HTTPServer
import JSON
import ObjectModel
import ObjectStore
import Rows

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
        takeIn(request, mode: mode, preferences: preferences, isArray: false) {
            names, scratch throws(Problem) in
            let target = try self.target(request, source, names, scratch)
            let json = try self.json(request, scratch.parser)
            let reader = scratch.reader
            reader.reset()
            let reading = reader.read(
                json, as: target.rowClass, names: names, isMerge: isMerge, key: target.key)
            guard let reading else { throw reader.problem() }
            return [
                ObjectWrite.Item(
                    draft: reading.draft, objectKey: target.objectKey,
                    precondition: precondition.with(version: reading.version))
            ]
        }
    }

    /// Reads the body, hands the write in and answers when it is durable.
    func takeIn(
        _ request: Request, mode: WriteMode, preferences: Preferences, isArray: Bool,
        _ prepare: @escaping ObjectWrite.Prepare
    ) -> Outcome {
        if request.body.count > Self.inlineBodyByteCountMax {
            return .later { exchange in
                let isTaken = self.workers.submit {
                    do throws(Problem) {
                        try ObjectWrite(self, mode: mode, preferences, isArray: isArray, prepare)
                            .submit(exchange)
                    } catch {
                        exchange.respond(self.response(error))
                    }
                }
                if !isTaken { exchange.respond(self.response(.tooBusy)) }
            }
        }
        return answering { () throws(Problem) in
            let write = try ObjectWrite(self, mode: mode, preferences, isArray: isArray, prepare)
            return .later { write.submit($0) }
        }
    }

    /// Answers a write that failed. Writer's thread.
    ///
    /// - `position`: That of the object in the body's array; nil when the body is no array.
    func answer(_ exchange: Exchange, _ error: StoreError, at position: Int?) {
        let problem = problem(error, at: position)
        exchange.respond { self.response(problem) }
    }

    /// Answers a write that was committed. Writer's thread.
    func answer(_ exchange: Exchange, _ write: ObjectWrite, _ version: StoreVersion) {
        if case .many(let written)? = write.result, written.count > Self.inlineObjectCountMax,
            workers.submit({ exchange.respond(self.reply(to: write, version)) })
        {
            return
        }
        exchange.respond { self.reply(to: write, version) }
    }

    private func reply(to write: ObjectWrite, _ version: StoreVersion) -> Response {
        switch write.result {
        case .one(let written): reply(to: written, version, write.preferences)
        case .many(let written): reply(toMany: written, version, write.preferences)
        case .refused(let problem): response(problem)
        case nil: response(Problem(StoreError.closing))
        }
    }

    /// The reply to the write of one object.
    private func reply(
        to result: ObjectWrite.Written, _ version: StoreVersion, _ preferences: Preferences
    ) -> Response {
        replying { () throws(Problem) in
            guard let object = result.object else { return Response(204) }
            let status: UInt16 = result.isCreated ? 201 : preferences.isMinimal ? 204 : 200
            var response = Response(status)
            if !preferences.isMinimal {
                response = Response(
                    status, .json, try document([object], preferences) { $1.write($0[0]) })
            }
            if let number = object.withRow({ $0.version }) {
                response.headers.addETag(StoreVersion(epoch: version.epoch, number: number))
            }
            response.headers.addStoreVersion(version)
            if result.isCreated { addLocation(of: object, to: &response) }
            if let applied = preferences.applied(minimal: preferences.isMinimal) {
                response.headers.add(.preferenceApplied, applied)
            }
            return response
        }
    }

    /// The reply to the write of an array of objects.
    private func reply(
        toMany written: [ObjectWrite.Written], _ version: StoreVersion, _ preferences: Preferences
    ) -> Response {
        replying { () throws(Problem) in
            let hasCreated = written.contains(where: \.isCreated)
            var response: Response
            if preferences.isMinimal {
                response = Response(hasCreated ? 201 : 204)
            } else {
                let objects = written.compactMap(\.object)
                let body = try document(objects, preferences) { objects, writer in
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
                response = Response(hasCreated ? 201 : 200, .json, body)
            }
            response.headers.addStoreVersion(version)
            if let applied = preferences.applied(minimal: preferences.isMinimal) {
                response.headers.add(.preferenceApplied, applied)
            }
            return response
        }
    }

    /// Writes copied objects of one class as a document; links are looked up in a fresh view, since the
    /// keys of their targets never change.
    private func document(
        _ objects: [StoredObject], _ preferences: Preferences,
        _ body: ([StoredObject], inout ObjectWriter) -> Void
    ) throws(Problem) -> HTTPServer.Bytes {
        let scratch = RequestScratch.current
        scratch.reply.removeAll()
        let names = scratch.names(of: objects.first?.schema ?? store.catalog.rows, self)
        let followsLinks = objects.contains { names.classes[$0.classIndex].everything.followsLinks }
        try withLinks(followsLinks) { read in
            var writer = ObjectWriter(
                scratch.reply, names: names, read: read, epoch: store.epoch)
            writer.linkKeys = scratch.linkKeys
            writer.quotesLargeInts = preferences.quotesLargeInts
            body(objects, &writer)
        }
        return scratch.takeReply()
    }

    private func addLocation(of object: StoredObject, to response: inout Response) {
        let text = RequestScratch.current.text
        text.removeAll()
        _ = object.withRow { row in
            ObjectPath.append(object.rowClass, row, key: object.key, to: text)
        }
        text.bytes.withMemoryRebound(to: UInt8.self) { response.headers.add(.location, $0) }
    }

    /// The problem of a failed write, with the place of the object in the body's array.
    private func problem(_ error: StoreError, at position: Int?) -> Problem {
        if case .danglingLinks(let links) = error {
            return Problem(dangling: links) { source in
                position == nil ? JSONPointer() : JSONPointer().appending(index: source)
            }
        }
        var problem = problem(error)
        guard let position else { return problem }
        let pointer = JSONPointer().appending(index: position).description
        if problem.errors.isEmpty, problem.status < 500 {
            problem.errors = [
                Problem.Fault(code: problem.code, detail: problem.detail, pointer: pointer)
            ]
        } else {
            for index in problem.errors.indices {
                problem.errors[index].pointer = pointer + (problem.errors[index].pointer ?? "")
            }
        }
        return problem
    }
}
