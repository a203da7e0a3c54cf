// SPDX-License-Identifier: BSD-3-Clause
// The part of the server that waits for devices to take alias GUIDs.
#include <algorithm>
#include <utility>

#include "mad/guid_info_record.hpp"
#include "sa/request.hpp"
#include "sa/server.hpp"

namespace heddle::sa {

// From now on queries are answered with the aliases that are registered.
void Server::take_aliases() {
  aliases_ = registrations_.alias_guids.share();
  if (view_) view_ = std::make_shared<const View>(view_->with(aliases_));
  if (view_) known_ = view_;
}

void Server::on_aliases_written(base::Instant now, std::span<const AliasOutcome> outcomes) {
  const auto before = aliases_;
  std::vector<mad::Datagram> replies;
  std::vector<mad::Guid> gone;
  std::vector<mad::Guid> touched;
  for (const AliasOutcome& outcome : outcomes) {
    const auto change = registrations_.alias_changes.finish(outcome.ticket);
    if (!change) continue;
    const auto asked = header_of(change->request.payload);
    Records records(false);
    const mad::Status status = carry_out(*change, outcome, records, gone);
    for (const mad::Guid guid : change->write.guids.guids) touched.push_back(guid);
    replies.push_back(make_reply(asked, change->request.peer, status, std::move(records)));
  }
  touched.insert(touched.end(), gone.begin(), gone.end());
  gone.erase(std::remove_if(gone.begin(), gone.end(),
                            [this](mad::Guid alias) {
                              return registrations_.alias_guids.owner(alias) != mad::Guid{};
                            }),
             gone.end());
  registrations_.services.remove_all(std::move(gone));
  take_aliases();
  for (mad::Datagram& reply : replies) send_promise(std::move(reply));
  report_aliases(now, *before, std::move(touched));
  pump(now);
}

// What the device says to hold is what is so, whatever was asked for.
mad::Status Server::carry_out(const AliasChanges::Change& change, const AliasOutcome& outcome,
                              Records& records, std::vector<mad::Guid>& gone) {
  if (!outcome.held) return outcome.refused ? mad::kSAReqInvalid : mad::kStatusBusy;
  const AliasWrite& write = change.write;
  mad::GUIDInfoRecord answer;
  answer.block_num = write.block;
  if (const auto port = view_ ? view_->find(write.port) : fabric::kNoPort; port != fabric::kNoPort)
    answer.lid = view_->lid(port);
  for (std::size_t i = 0; i < mad::kGuidsPerBlock; ++i) {
    const std::size_t entry = write.block * mad::kGuidsPerBlock + i;
    const bool asked = (change.entries >> i & 1u) != 0;
    const bool taken = outcome.held->guids[i] == write.guids.guids[i];
    if (asked && entry != 0) {
      const mad::Guid alias = taken ? write.guids.guids[i] : mad::Guid{};
      const mad::Guid before = registrations_.alias_guids.at(write.port, entry);
      if (before != alias && before != mad::Guid{}) gone.push_back(before);
      registrations_.alias_guids.set(write.port, entry, alias);
    }
    const bool denied = !taken || (change.denied >> i & 1u) != 0;
    answer.guid_info.guids[i] = denied ? mad::Guid{} : write.guids.guids[i];
  }
  records.add(answer);
  return mad::kStatusOk;
}

// Traps 64 and 65, for who may talk to the port.
void Server::report_aliases(base::Instant now, const AliasGuids& before,
                            std::vector<mad::Guid> touched) {
  if (!view_) return;
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  const auto tell_of = [&](const AliasGuids& these, const AliasGuids& others,
                           mad::TrapNumber trap) {
    for (const mad::Guid alias : touched) {
      const mad::Guid owner = these.owner(alias);
      const fabric::PortIndex port = owner == mad::Guid{} ? fabric::kNoPort : view_->find(owner);
      if (port == fabric::kNoPort || others.owner(alias) == owner) continue;
      announce(now, *view_, trap, {view_->subnet().prefix, alias}, [&](const Subscription& to) {
        return view_->may_talk(view_->member(to.subscriber.guid), port);
      });
    }
  };
  tell_of(before, *aliases_, mad::TrapNumber::GidOutOfService);
  tell_of(*aliases_, before, mad::TrapNumber::GidInService);
}

}  // namespace heddle::sa
