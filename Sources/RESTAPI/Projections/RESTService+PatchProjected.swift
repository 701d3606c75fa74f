import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// Takes in a merge patch in projected names: `patchProjectedObject`, the same by key, and
    /// `patchProperty`.
    ///
    /// - `prepare`: Reads the request under a schema.
    func patchProjected(
        _ request: Request, _ prepare: @escaping PreparedRequest<ProjectedPatch>.Prepare
    ) -> Outcome {
        answering { () throws(RequestFault) in
            if try BodyType.read(request, isPatch: true) == .jsonPatch { throw .mergePatchOnly }
            try request.requireAccepted("application/json")
            let preferences = try Preferences(request)
            return reading(request) { () throws(RequestFault) in
                try self.once(request) { claim throws(RequestFault) in
                    let prepared = try PreparedRequest(self.served, prepare)
                    let write = RequestedWrite<ProjectedPatch.Written>(
                        run: { transaction throws(StoreError) in
                            try self.apply(prepared, preferences, transaction)
                        },
                        reply: { written, version, _ throws(RequestFault) in
                            self.reply(to: written, version, preferences)
                        },
                        problem: { prepared.last.problem($0, self) },
                        isLong: { _ in false })
                    return .later { self.handIn(write, $0, claim) }
                }
            }
        }
    }

    private func apply(
        _ prepared: PreparedRequest<ProjectedPatch>, _ preferences: Preferences,
        _ transaction: WriteTransaction
    ) throws(StoreError) -> Attempted<ProjectedPatch.Written> {
        do throws(WriteFailure) {
            let patch: ProjectedPatch
            do throws(RequestFault) { patch = try prepared.plan(for: transaction) } catch {
                throw .problem(error)
            }
            return .made(
                try patch.apply(transaction) { row, key throws(WriteFailure) in
                    if preferences.isMinimal { return nil }
                    return try self.document(
                        of: row, key, patch.selection, preferences, transaction)
                })
        } catch {
            switch error {
            case .store(let error): throw error
            case .problem(let problem): return .refused(problem)
            }
        }
    }

    /// Writes what the transaction leaves of a projected object: other objects that it shows may be changed
    /// again before the reply is made.
    private func document(
        of row: RowView, _ key: UInt64, _ selection: FieldSelection, _ preferences: Preferences,
        _ transaction: WriteTransaction
    ) throws(WriteFailure) -> HTTPServer.Bytes {
        let view = transaction.view()
        let buffer = ByteBuffer(capacity: 512)
        var writer = ObjectWriter(
            buffer, names: RequestScratch.current.names(of: transaction.catalog.rows, served),
            read: view, epoch: transaction.epoch)
        writer.quotesLargeInts = preferences.quotesLargeInts
        writer.limitCollections(served.limits)
        writer.byteCountMax = served.limits.queryMemoryByteCountMax
        writer.write(row, key: key, selection)
        do throws(StoreError) { try view.checkFailure() } catch { throw .store(error) }
        if writer.isTruncated {
            throw .problem(.replyTooLarge(served.limits.queryMemoryByteCountMax))
        }
        let (base, count) = buffer.takeStorage()
        return HTTPServer.Bytes(adopting: base, count: count)
    }

    private func reply(
        to written: ProjectedPatch.Written, _ version: StoreVersion, _ preferences: Preferences
    ) -> Response {
        var response = written.json.map { Response(200, .json, $0) } ?? Response(204)
        response.headers.addETag(StoreVersion(epoch: version.epoch, number: written.version))
        response.headers.addStoreVersion(version)
        if let applied = preferences.applied(minimal: preferences.isMinimal) {
            response.headers.add(.preferenceApplied, applied)
        }
        return response
    }

    /// `PATCH` of a projected object by either kind of key.
    func patchProjectedObject(_ request: Request, _ source: KeySource) -> Outcome {
        answering { () throws(RequestFault) in
            _ = try Parameters(request, known: source.parameters([]))
            let precondition = try Precondition(request)
            return patchProjected(request) { names, scratch throws(RequestFault) in
                let projection = try self.projection(request, names)
                let target = try self.target(request, source, of: projection.rowClass, scratch)
                let change = ProjectedChange(projection.rowClass)
                let version = try ProjectedChangeReader(scratch.reader, names).read(
                    try self.served.json(request.body, scratch.parser), projection, into: change,
                    id: target.key
                )
                change.finish()
                return ProjectedPatch(
                    target: target, change: change, selection: projection.selection,
                    precondition: precondition.with(version: version))
            }
        }
    }
}

extension RequestFault {
    /// A JSON patch where only merge patches are taken.
    fileprivate static var mergePatchOnly: RequestFault {
        RequestFault(
            .unsupportedPatchType, "unsupported-media-type",
            "A projected object is changed by a merge patch: application/merge-patch+json or "
                + "application/json.",
            alternatives: "application/merge-patch+json, application/json")
    }
}
